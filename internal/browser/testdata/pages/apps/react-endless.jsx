// The next part is loaded when the reader has scrolled to the end.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { load } from "./article.js";
import { Section, Tail } from "./parts.jsx";

function App() {
  const [parts, set] = useState([]);
  useEffect(() => {
    let busy = false;
    let count = 0;
    const more = async () => {
      if (busy || count === 4 || innerHeight + scrollY < document.body.scrollHeight - 50) return;
      busy = true;
      const a = await load("?part=" + count);
      const at = count++;
      set((old) => [...old, at === 3 ? <Tail key="tail" a={a} /> :
        <div key={at} className="tall">
          {at === 0 && <><h1>{a.title}</h1><p>{a.lead}</p></>}
          <Section of={a.sections[at]} />
        </div>]);
      busy = false;
    };
    addEventListener("scroll", more);
    more();
  }, []);
  return <article>{parts}</article>;
}

createRoot(document.querySelector("#app")).render(<App />);
