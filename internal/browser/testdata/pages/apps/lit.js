// Lit puts elements with shadow trees into each other, with slots.
import { css, html, LitElement } from "lit";
import { load } from "./article.js";

class Part extends LitElement {
  static styles = css`section { padding: 1em }`;
  render() { return html`<section><h2><slot name="heading"></slot></h2><slot></slot></section>`; }
}

class Page extends LitElement {
  static properties = { a: { state: true } };
  async firstUpdated() { this.a = await load(); }
  render() {
    const a = this.a;
    return a ? html`<article><h1>${a.title}</h1><p>${a.lead}</p>
      ${a.sections.map((s) => html`<river-part><span slot="heading">${s.heading}</span>
        ${s.paragraphs.map((text) => html`<p>${text}</p>`)}</river-part>`)}
      <ul>${a.list.map((item) => html`<li>${item}</li>`)}</ul>
      <table>${a.table.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</table>
    </article>` : html`<p>Loading…</p>`;
  }
}

customElements.define("river-part", Part);
customElements.define("river-page", Page);
document.querySelector("#app").append(document.createElement("river-page"));
