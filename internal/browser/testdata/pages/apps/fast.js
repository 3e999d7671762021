// FAST closes its shadow tree to other programs.
import { FASTElement, html, observable, repeat, when } from "@microsoft/fast-element";
import { load } from "./article.js";

class River extends FASTElement {
  constructor() {
    super();
    load().then((a) => (this.a = a));
  }
}
observable(River.prototype, "a");

await River.define({
  name: "river-fast",
  shadowOptions: { mode: "closed" },
  template: html`${when((x) => x.a, html`<article><h1>${(x) => x.a.title}</h1><p>${(x) => x.a.lead}</p>
    ${repeat((x) => x.a.sections, html`<section><h2>${(s) => s.heading}</h2>
      ${repeat((s) => s.paragraphs, html`<p>${(text) => text}</p>`)}</section>`)}
    <ul>${repeat((x) => x.a.list, html`<li>${(item) => item}</li>`)}</ul>
    <table>${repeat((x) => x.a.table, html`<tr>${repeat((row) => row, html`<td>${(cell) => cell}</td>`)}</tr>`)}</table>
  </article>`)}`,
});
document.querySelector("#app").append(document.createElement("river-fast"));
