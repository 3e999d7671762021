// Each section is there only after it has come into view.
import { useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { load, pause } from "./article.js";
import { Section, Tail } from "./parts.jsx";

function Reveal({ children }) {
  const [seen, set] = useState(false);
  const here = useRef(null);
  useEffect(() => {
    const observer = new IntersectionObserver(async ([entry]) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      await pause(30);
      set(true);
    });
    observer.observe(here.current);
    return () => observer.disconnect();
  }, []);
  return <div ref={here} className="tall">{seen && children}</div>;
}

function App() {
  const [a, set] = useState(null);
  useEffect(() => void load().then(set), []);
  return a && (
    <article>
      <h1>{a.title}</h1>
      <p>{a.lead}</p>
      {a.sections.map((s) => <Reveal key={s.heading}><Section of={s} /></Reveal>)}
      <Reveal><Tail a={a} /></Reveal>
    </article>
  );
}

createRoot(document.querySelector("#app")).render(<App />);
