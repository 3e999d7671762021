// A virtual list has only those paragraphs in the page that the window shows.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { WindowVirtualizer } from "virtua";
import { load } from "./article.js";
import { Section, Tail } from "./parts.jsx";

function App() {
  const [a, set] = useState(null);
  useEffect(() => void load().then(set), []);
  if (!a) return null;
  return (
    <article>
      <h1>{a.title}</h1>
      <p>{a.lead}</p>
      <WindowVirtualizer>
        {a.sections.map((s) => <Section key={s.heading} of={s} className="tall" />)}
        <Tail a={a} />
      </WindowVirtualizer>
    </article>
  );
}

createRoot(document.querySelector("#app")).render(<App />);
