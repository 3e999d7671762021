// The page never scrolls: a box in it does, and shows each section when it comes into view.
import { html, render } from "uhtml";
import { load, section, tail } from "./article.js";

const app = document.querySelector("#app");
app.className = "scroller";
const a = await load();
const boxes = [...a.sections.map(section), tail(a)];
render(app, html`<article><h1>${a.title}</h1><p>${a.lead}</p>${boxes.map((_, i) =>
  html`<div class="tall" data-part=${i}></div>`)}</article>`);
const observer = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => {
  e.target.innerHTML = boxes[e.target.dataset.part];
}), { root: app });
app.querySelectorAll("[data-part]").forEach((part) => observer.observe(part));
