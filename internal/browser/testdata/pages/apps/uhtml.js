// uhtml renders tagged templates.
import { html, render } from "uhtml";
import { load } from "./article.js";

load().then((a) => render(document.querySelector("#app"), html`<article><h1>${a.title}</h1><p>${a.lead}</p>
${a.sections.map((s) => html`<section><h2>${s.heading}</h2>${s.paragraphs.map((text) => html`<p>${text}</p>`)}</section>`)}
<ul>${a.list.map((item) => html`<li>${item}</li>`)}</ul>
<table>${a.table.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</table></article>`));
