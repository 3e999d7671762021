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

/**
 * The notice at the bottom of the page: {message, undo, problem}, or null. undo has the records whose
 * last changes it takes back: {about, space} each.
 */
export const notice = new Shared(null);

/** The proof in the link that opened the page, or "". It does not stay in the address. */
export const givenProof = takeProof();

function takeProof() {
  const given = /^#proof=([\w-]+)$/.exec(location.hash)?.[1] ?? "";
  if (given) history.replaceState(null, "", "/");
  return given;
}

/**
 * The place of the page: the parts of the fragment, as in #/memories/mem_x?q=word&in=team. space is
 * the shared space whose records are shown, or "" for the person's own and all spaces beside them.
 */
export const place = new Shared(readPlace());

function readPlace() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").map(decode);
  const given = new URLSearchParams(query ?? "");
  return { view: parts[0] || "today", id: parts[1] ?? "", space: given.get("in") ?? "", query: given };
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
  clearTimeout(writing.timer);
  writing.timer = 0;
  place.value = readPlace();
});

/** Returns the link of a view, in the space that is shown. Empty values are left out of the query. */
export function linkTo(view, id = "", { in: space = place.value.space, ...query } = {}) {
  const given = Object.entries({ ...query, in: space }).filter(([, value]) => value);
  const search = given.length ? `?${new URLSearchParams(given)}` : "";
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}${search}`;
}

/** Returns the field of a call that names the shared space of a record, if it is in one. */
export const spaceOf = ({ space }) => (space ? { space } : {});

/** Returns the field of a link that leads back to the present view when the record of the link is closed. */
export function fromHere() {
  const { view, id, query } = place.value;
  const { in: _space, from: _from, ...rest } = Object.fromEntries(query);
  return { from: linkTo(view, id, rest) };
}

/** Closes a record: back to the view from which its link came, or else to another link. */
export function goBack(otherwise) {
  const from = place.value.query.get("from") ?? "";
  goTo(from.startsWith("#/") ? from : otherwise);
}

/** Opens a view. */
export function goTo(link) {
  location.hash = link;
}

const writing = { timer: 0, link: "" };

/**
 * Changes the query of the present view at once, and its link when the typing pauses: browsers
 * limit how often a link may change. The browser's Back skips the links in between.
 */
export function setQuery(query) {
  const { view, id, space } = place.value;
  writing.link = linkTo(view, id, query);
  place.value = { view, id, space, query: new URLSearchParams(query) };
  clearTimeout(writing.timer);
  writing.timer = setTimeout(writeLink, 300);
}

function writeLink() {
  if (!writing.timer) return;
  clearTimeout(writing.timer);
  writing.timer = 0;
  history.replaceState(null, "", writing.link);
}

// A link that is followed leaves the present one in the history of the browser.
for (const event of ["click", "keydown", "pagehide"]) {
  window.addEventListener(event, (e) => (e.key ?? "Enter") === "Enter" && writeLink(), true);
}

/** What the view shows, beside its name: the title of the page has it. "" for nothing. */
export const subject = new Shared("");

const draftKey = "techo-draft-";

/**
 * What a person has begun to type into a form or an answer, by its name. It stays in this tab, also over a
 * reload, until it is saved or thrown away.
 */
export const drafts = {
  has: (name) => sessionStorage.getItem(draftKey + name) !== null,
  get: (name) => JSON.parse(sessionStorage.getItem(draftKey + name)) ?? undefined,
  set: (name, fields) => {
    try {
      sessionStorage.setItem(draftKey + name, JSON.stringify(fields));
    } catch {
      // It is full: the form still has its text.
    }
  },
  delete: (name) => sessionStorage.removeItem(draftKey + name),
};
