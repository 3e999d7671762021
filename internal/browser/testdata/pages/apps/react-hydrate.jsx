// React takes over HTML of the server, which has the first section only.
import { useEffect, useState } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server.browser";
import { load } from "./article.js";
import { Section, Tail } from "./parts.jsx";

function App({ first }) {
  const [a, set] = useState(null);
  useEffect(() => void load().then(set), []);
  return (
    <article>
      <h1>{first.title}</h1>
      <p>{first.lead}</p>
      <Section of={first.sections[0]} />
      {a && a.sections.slice(1).map((s) => <Section key={s.heading} of={s} />)}
      {a && <Tail a={a} />}
    </article>
  );
}

const first = await load();
const root = document.querySelector("#app");
root.innerHTML = renderToString(<App first={first} />);
hydrateRoot(root, <App first={first} />);
