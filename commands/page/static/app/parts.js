// Parts that several views share. They call no tools.
import { html, useLayoutEffect, useRef, useState } from "./lib.js";
import { text } from "./texts.js";

/** Shows the error of a call: its message, its details and its hint. */
export function Problem({ error, children }) {
  if (!error) return null;
  const message =
    error.code === "unreachable" ? text("The server does not answer. Is techo page still running?") : error.message;
  return html`<div class="problem" role="alert">
    <p class="problem-message">${message}</p>
    ${
      error.details?.length > 0 &&
      html`<ul>
      ${error.details
        .filter((d) => !error.message.endsWith(d.message))
        .map((d) => html`<li>${[d.path?.slice(1), d.message, d.hint].filter(Boolean).join(" – ")}</li>`)}
    </ul>`
    }
    ${error.hint && html`<p class="hint">${error.hint}</p>`}
    ${children}
  </div>`;
}

/** Explains an empty list, and teaches the command that fills it. */
export function Empty({ message, command }) {
  return html`<div class="empty">
    <p>${message}</p>
    ${command && html`<p class="teach">${text("In a shell:")} <code>${command}</code></p>`}
  </div>`;
}

/** A button. kind is "main", "danger" or "" for the usual look. */
export function Button({ kind = "", busy = false, type = "button", children, ...rest }) {
  // aria-disabled keeps the focus, which disabled would lose while a call runs.
  return html`<button type=${type} class=${`button ${kind}`} aria-disabled=${busy ? "true" : undefined} ...${rest}>
    ${children}</button>`;
}

/** Facts with their names, [name, value] each. Those without a value are left out. */
export function Facts({ facts }) {
  return html`<dl class="facts">${facts
    .filter(([, value]) => value)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A label with its field and a note below. */
export function Field({ label, note, children, wide = false }) {
  return html`<label class=${wide ? "field wide" : "field"}><span class="label">${label}</span>${children}
    ${note && html`<span class="note">${note}</span>`}</label>`;
}

/**
 * A text field that reports no text while an input method composes one: half-typed kana are not
 * searched for, and Enter that ends a composition submits nothing. The element keeps its own
 * text. Writing one would end a composition, so only a value that changes elsewhere is written,
 * and none during a composition. Ctrl-Enter in a text of several lines submits its form.
 */
export function TextInput({ value, onText, multiline = false, onEnter, ...rest }) {
  const field = useRef();
  const composing = useRef(false);
  useLayoutEffect(() => {
    if (!composing.current && field.current.value !== value) field.current.value = value;
  }, [value]);
  const onKeyDown = (event) => {
    // Safari sends the key after the composition has ended, with the code 229.
    const ofComposition = event.isComposing || composing.current || event.keyCode === 229;
    if (event.key === "Enter" && ofComposition) {
      event.stopPropagation();
      if (!multiline) event.preventDefault();
    } else if (event.key === "Enter" && multiline && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      event.currentTarget.form.requestSubmit();
    } else if (event.key === "Enter" && onEnter) {
      event.preventDefault();
      onEnter(event.currentTarget.value);
    }
  };
  const props = {
    ref: field,
    // Preact keeps the case of events that elements have no property for.
    oncompositionstart: () => {
      composing.current = true;
    },
    oncompositionend: (event) => {
      composing.current = false;
      onText(event.currentTarget.value);
    },
    onInput: (event) => {
      if (!composing.current && !event.isComposing) onText(event.currentTarget.value);
    },
    onKeyDown,
    ...rest,
  };
  return multiline
    ? html`<textarea ...${props}></textarea>`
    : html`<input type="text" autocomplete="off" ...${props} />`;
}

/**
 * A modal dialog. The browser keeps the focus inside, and Escape closes it. onClose is called
 * once. The dialog opens before the browser paints or handles the next key.
 */
export function Dialog({ title, onClose, children, wide = false }) {
  const box = useRef();
  const closed = useRef(false);
  const close = () => {
    if (closed.current) return; // the element reports its end again when it is removed
    closed.current = true;
    onClose();
  };
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const link = opener?.getAttribute?.("href");
    const dialog = box.current;
    dialog.showModal();
    // Not the button that closes: a key that is held down after it has opened the dialog would press it.
    const first = 'form :is(textarea, input:not([type="checkbox"], [type="radio"]))';
    (dialog.querySelector(first) ?? dialog.querySelector("h2")).focus();
    return () => {
      closed.current = true;
      dialog.close(); // while it is open, nothing outside takes the focus
      const same = (a) => link && a.getAttribute("href") === link; // drawn anew meanwhile
      const again = opener?.isConnected && opener !== document.body ? opener : [...document.querySelectorAll("main a")].find(same);
      (again || document.querySelector("main h1"))?.focus({ preventScroll: true });
    };
  }, []);
  // The browser reports the end some time after a key has closed the dialog. Its cancel comes before:
  // onClose must not take the person back from where the next key leads.
  return html`<dialog ref=${box} class=${wide ? "dialog wide" : "dialog"} aria-labelledby="dialog-title"
    onCancel=${close} onClose=${close}>
    <header><h2 id="dialog-title" tabindex="-1">${title}</h2>
      <button type="button" class="button quiet" onClick=${close} aria-label=${text("Close")}>✕</button></header>
    ${children}
  </dialog>`;
}

/** A text that can be opened: a summary and its content. */
export function Disclosure({ summary, children, open = false }) {
  const [shown, setShown] = useState(open);
  return html`<details class="disclosure" open=${shown} onToggle=${(e) => setShown(e.currentTarget.open)}>
    <summary>${summary}</summary>${shown && children}
  </details>`;
}

/** Shows the words of a text that a search matched. */
export function Marked({ source, words }) {
  const wanted = words.filter(Boolean).map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!wanted.length) return source;
  wanted.sort((a, b) => b.length - a.length);
  const pieces = source.split(new RegExp(`(${wanted.join("|")})`, "giu"));
  return pieces.map((piece, i) => (i % 2 ? html`<mark>${piece}</mark>` : piece));
}

/** Reports whether a text only repeats the title above it, wholly or in part. */
export const repeats = (body, title) => (title ?? "").startsWith(body.replaceAll("…", "").trim());

/** A section with a heading, and an action on its right. */
export function Section({ title, action, children, level = 2 }) {
  return html`<section class="section"><header class="section-head">
    ${level === 2 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}${action}</header>${children}</section>`;
}

/** Shows what is being loaded to those who cannot see it, and keeps the place. */
export const Loading = () => html`<p class="loading" role="status">${text("Loading…")}</p>`;
