// State that all parts of the page share.
import { useEffect, useState } from "./lib.js";

/** A value whose changes re-render the components that use it. */
export class Shared {
  #value;
  #listeners = new Set();

  constructor(value) {
    this.#value = value;
  }

  get value() {
    return this.#value;
  }

  set value(value) {
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  /** Returns the value, and re-renders the component when it changes. */
  use() {
    const [, update] = useState(0);
    useEffect(() => {
      const listener = () => update((n) => n + 1);
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    }, []);
    return this.#value;
  }
}

/** Grows with every change of the store; views repeat their calls then. */
export const storeVersion = new Shared(0);

/** Whether the stream of events is connected. */
export const connected = new Shared(true);

/** The settings that the server sent: user, timezone, store, version. */
export const session = new Shared(null);

/** The notice at the bottom of the page: {message, undo, problem}, or null. */
export const notice = new Shared(null);

/** The place of the page: the parts of the fragment, as in #/memories/mem_x?q=word. */
export const place = new Shared(readPlace());

function readPlace() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").map(decode);
  return { view: parts[0] || "today", id: parts[1] ?? "", query: new URLSearchParams(query ?? "") };
}

// A link that somebody mistyped must not break the page.
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

window.addEventListener("hashchange", () => {
  place.value = readPlace();
});

/** Returns the link of a view. Empty values are left out of the query. */
export function linkTo(view, id = "", query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  const search = given.length ? `?${new URLSearchParams(given)}` : "";
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}${search}`;
}

/** Opens a view. With replace, the browser's Back skips the present one. */
export function goTo(link, { replace = false } = {}) {
  if (!replace) {
    location.hash = link;
    return;
  }
  history.replaceState(null, "", link);
  place.value = readPlace();
}
