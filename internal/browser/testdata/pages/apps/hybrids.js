// hybrids renders a promise into a shadow tree.
import { define, html } from "hybrids";
import { html as text, load } from "./article.js";

define({
  tag: "river-hybrid",
  a: () => load(),
  render: {
    value: ({ a }) => html`<main>${html.resolve(a.then((got) => html`<div innerHTML="${text(got)}"></div>`))}</main>`,
    shadow: true,
  },
});
document.querySelector("#app").append(document.createElement("river-hybrid"));
