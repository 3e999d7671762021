// The article is Markdown that the page turns into HTML, as it comes, piece by piece.
import { marked } from "marked";
import { lang } from "./article.js";

const answer = await fetch(`/${lang}.md`);
let source = "";
for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
  source += piece;
  document.querySelector("#app").innerHTML = `<article>${marked.parse(source)}</article>`;
}
