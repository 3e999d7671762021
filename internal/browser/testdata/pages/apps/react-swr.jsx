// SWR suspends the page until its data has come.
import { Suspense } from "react";
import { createRoot } from "react-dom/client";
import useSWR from "swr";
import { load } from "./article.js";
import { Article } from "./parts.jsx";

function App() {
  const { data } = useSWR("article", () => load(), { suspense: true });
  return <Article a={data} />;
}

createRoot(document.querySelector("#app")).render(<Suspense fallback={<p>Loading…</p>}><App /></Suspense>);
