// jQuery fades the article in, section by section.
import $ from "jquery";
import { lang, section, tail } from "./article.js";

$.getJSON(`/${lang}.json`, (a) => {
  const article = $("<article>").appendTo("#app").append($("<h1>").text(a.title), $("<p>").text(a.lead));
  a.sections.forEach((s, i) => $(section(s)).hide().appendTo(article).delay(40 * i).fadeIn(120));
  article.append(tail(a));
});
