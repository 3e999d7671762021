// Texts that agents wrote, shown as Markdown. DOMPurify removes everything active; the
// result is a fragment of nodes, so no text is ever parsed as HTML by the page itself.
import { html, useEffect, useRef } from "./lib.js";

const allowed = {
  ALLOWED_TAGS: [
    "p",
    "br",
    "hr",
    "em",
    "strong",
    "del",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "a",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "h3",
    "h4",
    "h5",
    "h6",
  ],
  ALLOWED_ATTR: ["href", "start"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

// Headings of a text start below those of the page. HTML in a text is shown as text.
const renderer = {
  heading({ tokens, depth }) {
    const level = Math.min(depth + 2, 6);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
  },
  html: ({ text }) => escape(text),
  image: ({ text, href }) => escape(text || href),
};

const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

const parser = new window.marked.Marked({ renderer, gfm: true, breaks: true });

/** Returns the nodes for a Markdown text. */
export function sanitized(source) {
  const fragment = window.DOMPurify.sanitize(parser.parse(source), allowed);
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
    link.title = link.getAttribute("href") ?? ""; // shows where it leads before it is followed
  }
  for (const pre of fragment.querySelectorAll("pre, table")) pre.tabIndex = 0; // can be scrolled by keyboard
  return fragment;
}

/** Shows a Markdown text. */
export function Markdown({ source }) {
  const box = useRef();
  useEffect(() => box.current.replaceChildren(sanitized(source)), [source]);
  return html`<div class="prose" ref=${box}></div>`;
}
