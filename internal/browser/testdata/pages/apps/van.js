// VanJS makes elements from functions.
import van from "vanjs-core";
import { load } from "./article.js";

const { article, h1, h2, li, p, section, table, td, tr, ul } = van.tags;
const a = van.state(null);
van.add(document.querySelector("#app"), () => a.val ? article(h1(a.val.title), p(a.val.lead),
  a.val.sections.map((s) => section(h2(s.heading), s.paragraphs.map((text) => p(text)))),
  ul(a.val.list.map((item) => li(item))),
  table(a.val.table.map((row) => tr(row.map((cell) => td(cell)))))) : p("Loading…"));
load().then((got) => (a.val = got));
