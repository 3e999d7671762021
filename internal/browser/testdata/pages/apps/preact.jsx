/** @jsxImportSource preact */
// Preact shows the article when it has come, in a part that is loaded later.
import { Fragment, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { load } from "./article.js";

function App() {
  const [a, set] = useState(null);
  useEffect(() => void load().then(set), []);
  return a && (
    <main>
      <h1>{a.title}</h1>
      <p>{a.lead}</p>
      {a.sections.map((s) => <Fragment><h2>{s.heading}</h2>{s.paragraphs.map((p) => <p>{p}</p>)}</Fragment>)}
      <ul>{a.list.map((item) => <li>{item}</li>)}</ul>
      <table>{a.table.map((row) => <tr>{row.map((cell) => <td>{cell}</td>)}</tr>)}</table>
    </main>
  );
}

render(<App />, document.querySelector("#app"));
