// Inferno renders a component when its state changes.
import { Component, render } from "inferno";
import { h } from "inferno-hyperscript";
import { load } from "./article.js";

class App extends Component {
  state = { a: null };
  componentDidMount() { load().then((a) => this.setState({ a })); }
  render() {
    const { a } = this.state;
    return a && h("article", [h("h1", a.title), h("p", a.lead),
      ...a.sections.map((s) => h("section", [h("h2", s.heading), ...s.paragraphs.map((text) => h("p", text))])),
      h("ul", a.list.map((item) => h("li", item))),
      h("table", a.table.map((row) => h("tr", row.map((cell) => h("td", cell)))))]);
  }
}

render(h(App), document.querySelector("#app"));
