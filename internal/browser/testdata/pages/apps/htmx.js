// htmx asks the server for HTML: the first part at once, the others when they come into view.
import "htmx.org";

const lang = document.documentElement.lang;
document.querySelector("#app").innerHTML = `<article>
<div hx-get="/part/${lang}/0" hx-trigger="load" hx-swap="outerHTML">Loading…</div></article>`;
window.htmx?.process(document.querySelector("#app"));
