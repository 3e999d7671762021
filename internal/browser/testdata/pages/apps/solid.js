// Solid suspends the page until its resource has come.
import { createResource, For, Suspense } from "solid-js";
import { render } from "solid-js/web";
import html from "solid-js/html";
import { load } from "./article.js";

const list = (each, show) => html`<${For} each=${each}>${show}<//>`;

function App() {
  const [a] = createResource(() => load());
  return html`<${Suspense} fallback="Loading…"><article>
    <h1>${() => a()?.title}</h1><p>${() => a()?.lead}</p>
    ${list(() => a()?.sections, (s) => html`<section><h2>${s.heading}</h2>${
      list(() => s.paragraphs, (text) => html`<p>${text}</p>`)}</section>`)}
    <ul>${list(() => a()?.list, (item) => html`<li>${item}</li>`)}</ul>
    <table><tbody>${list(() => a()?.table, (row) => html`<tr>${
      list(() => row, (cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table>
  </article><//>`;
}

render(App, document.querySelector("#app"));
