// Keys: single letters that act outside of fields and dialogs, and the list that explains them.
import { html, useLayoutEffect, useRef, useState } from "./lib.js";
import { Dialog } from "./parts.js";
import { goTo, linkTo, place } from "./state.js";
import { text } from "./texts.js";

const offKey = "techo-keys-off";

// Speech input types letters, so that a person can turn the keys off.
const areOff = () => localStorage.getItem(offKey) === "1";

const isTyping = (target) =>
  target.closest?.("textarea, select, [contenteditable]") || (target.tagName === "INPUT" && target.type !== "checkbox");

/**
 * Calls actions[key] for a key, and opens the view of a letter after g. views maps names to
 * {key}. Nothing happens in a field, in a dialog, with a modifier, or during a composition.
 */
export function useKeys(actions, views) {
  const latest = useRef();
  latest.current = { actions, views };
  useLayoutEffect(() => {
    let going = 0; // when g was pressed
    let acted = false; // the last key did something
    const onKeyDown = (event) => {
      acted = false;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.keyCode === 229) return;
      if (areOff() || isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const { actions: act, views: all } = latest.current;
      const view = Date.now() - going < 2000 && Object.keys(all).find((name) => all[name].key === event.key);
      going = event.key === "g" ? Date.now() : 0;
      if (!view && !(event.key in act)) return;
      acted = true;
      event.preventDefault();
      if (view) goTo(linkTo(view));
      else act[event.key]();
    };
    // The field that a key focuses may still get its letter.
    const onKeyPress = (event) => acted && event.preventDefault();
    window.addEventListener("keydown", onKeyDown);
    window.addEventListener("keypress", onKeyPress, true);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
      window.removeEventListener("keypress", onKeyPress, true);
    };
  }, []);
}

/** Moves the focus to the next row of the lists of a view, or to an earlier one. */
export function moveFocus(by) {
  const kinds = "main li > a, main li summary, main .fc-event, main .memo, main .decision";
  const rows = [...document.querySelectorAll(kinds)].filter((e) => e.checkVisibility());
  const at = rows.findLastIndex((row) => row.contains(document.activeElement));
  const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
  (row?.matches(".memo, .decision") ? row.querySelector("button") : row)?.focus();
}

/** Presses the button that adds something in this view. */
export const addHere = () => document.querySelector('main [data-key="n"]')?.click();

/** Searches everything. */
export function search() {
  if (place.value.view === "search") document.querySelector("main input[type=search]").focus();
  else goTo(linkTo("search"));
}

/** Shows what each key does. */
export function KeysDialog({ views, onClose }) {
  const [off, setOff] = useState(areOff());
  const turn = (event) => {
    localStorage.setItem(offKey, event.currentTarget.checked ? "" : "1");
    setOff(areOff());
  };
  const row = (keys, does) => html`<div><dt>${keys.map((k) => html`<kbd>${k}</kbd> `)}</dt><dd>${does}</dd></div>`;
  return html`<${Dialog} title=${text("Keys")} onClose=${onClose}>
    <dl class="keys">${row(["/"], text("Search everything"))}
      ${row(["n"], text("Add something in this view"))}
      ${row(["j", "k"], text("To the next row, to the previous one"))}
      ${row(["Enter"], text("Open the row"))}
      ${row(["Esc"], text("Close what is open"))}
      ${row(["Ctrl", "Enter"], text("Save a long text"))}
      ${row(["?"], text("Show the keys"))}
      ${Object.values(views)
        .filter(({ key }) => key)
        .map(({ key, title }) => row(["g", key], title()))}</dl>
    <label class="choice"><input type="checkbox" checked=${!off} onChange=${turn} />
      <span>${text("Use keys of one letter")}</span></label><//>`;
}
