// The start of a view in a chat. The document names the view, and has its texts.
import { html, render } from "../lib.js";
import { Loading, Problem } from "../parts.js";
import { text, setTexts } from "../texts.js";
import { setClock } from "../time.js";
import { connect } from "./host.js";
import { Difference, Question, Review, Times } from "./views.js";

const place = document.querySelector("main");
const views = () => ({
  question: [text("A question"), Question],
  times: [text("Suggested times"), Times],
  review: [text("Memories to review"), Review],
  difference: [text("A change"), Difference],
});

const textOf = ({ content }) => String([content].flat().find((part) => part?.type === "text")?.text ?? "");

// documentOf returns the document of a result, which some hosts pass on as text alone.
const documentOf = (result) => result && (result.structuredContent ?? JSON.parse(textOf(result)));

function View({ call: { input, result, cancelled } }) {
  const [title, Shown] = views()[place.dataset.view];
  const answer = documentOf(result);
  const waits = !answer && !(input && Shown === Question);
  return html`<h1>${title}</h1>
    <${Problem} error=${answer?.error} />
    ${cancelled && html`<p class="hint" role="status">${text("The call was cancelled.")}</p>`}
    ${waits && !cancelled && html`<${Loading} />`}
    ${!waits && !answer?.error && html`<${Shown} input=${input} result=${answer} />`}`;
}

setTexts(document.documentElement.lang, JSON.parse(document.querySelector("#texts").textContent));
setClock("1970-01-01T00:00"); // a chat is read again later: no day is called today
connect((call) => {
  try {
    render(html`<${View} call=${call} />`, place);
  } catch {
    // A host or an agent may have shortened the result: its text is still readable.
    render(null, place);
    render(html`<pre tabindex="0">${textOf(call.result ?? {})}</pre>`, place);
  }
});
render(html`<${Loading} />`, place);
