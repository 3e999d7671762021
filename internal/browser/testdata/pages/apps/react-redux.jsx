// Redux holds the article, and React shows the store.
import { useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { legacy_createStore } from "redux";
import { load } from "./article.js";
import { Article } from "./parts.jsx";

const store = legacy_createStore((state = {}, action) => (action.type === "loaded" ? { a: action.a } : state));
const App = () => {
  const { a } = useSyncExternalStore(store.subscribe, store.getState);
  return a ? <Article a={a} /> : null;
};
createRoot(document.querySelector("#app")).render(<App />);
load().then((a) => store.dispatch({ type: "loaded", a }));
