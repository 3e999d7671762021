// Hyperapp starts with an effect.
import { app, h, text } from "hyperapp";
import { load } from "./article.js";

const of = (tag, inner) => h(tag, {}, Array.isArray(inner) ? inner : text(inner));
const begin = (dispatch) => void load().then((a) => dispatch((state) => ({ ...state, a })));

app({
  init: [{ a: null }, [begin]],
  view: ({ a }) => h("main", {}, a ? [of("h1", a.title), of("p", a.lead),
    ...a.sections.flatMap((s) => [of("h2", s.heading), ...s.paragraphs.map((p) => of("p", p))]),
    of("ul", a.list.map((item) => of("li", item))),
    of("table", a.table.map((row) => of("tr", row.map((cell) => of("td", cell)))))] : []),
  node: document.querySelector("#app"),
});
