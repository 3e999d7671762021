// Mithril asks for the article itself, behind a route.
import m from "mithril";
import { lang } from "./article.js";

const Page = {
  a: null,
  async oninit() { Page.a = await m.request({ url: `/${lang}.json` }); },
  view: () => Page.a && m("article", m("h1", Page.a.title), m("p", Page.a.lead),
    Page.a.sections.map((s) => m("section", m("h2", s.heading), s.paragraphs.map((text) => m("p", text)))),
    m("ul", Page.a.list.map((item) => m("li", item))),
    m("table", Page.a.table.map((row) => m("tr", row.map((cell) => m("td", cell)))))),
};
m.route(document.querySelector("#app"), "/article", { "/article": Page });
