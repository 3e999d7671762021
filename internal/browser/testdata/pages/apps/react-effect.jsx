// React reads the article in an effect.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { load } from "./article.js";
import { Article } from "./parts.jsx";

function App() {
  const [a, set] = useState(null);
  useEffect(() => void load().then(set), []);
  return a ? <Article a={a} /> : <p>Loading…</p>;
}

createRoot(document.querySelector("#app")).render(<App />);
