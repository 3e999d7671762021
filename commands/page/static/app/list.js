// A list of any length that only has the rows in view in the document.
import { html, useEffect, useRef, useState } from "./lib.js";
import { call } from "./api.js";
import { storeVersion } from "./state.js";

const pageSize = 100; // rows of one call
const overscan = 8; // rows beyond the edges, for the keyboard and fast scrolling

/**
 * Shows the rows of a listing tool. field names the list in its results; row(item) returns the
 * content of a row, which contains one link. All rows have the same height.
 */
export function WindowedList({ tool, input, field, row, rowHeight, label, empty }) {
  const [pages, setPages] = useState(new Map());
  const [total, setTotal] = useState(null);
  const [range, setRange] = useState([0, 20]);
  const box = useRef();
  const wanted = useRef(new Set());
  const active = useRef(-1); // the row with the focus, or the one that gets it next
  const version = storeVersion.use();
  const key = JSON.stringify(input);

  useEffect(() => {
    wanted.current = new Set();
    load(Math.floor(range[0] / pageSize), true);
  }, [key, version]);

  useEffect(() => {
    if (total === null) return;
    for (let page = Math.floor(range[0] / pageSize); page <= Math.floor(range[1] / pageSize); page++) {
      if (page * pageSize < total) load(page);
    }
  }, [range[0], range[1], total]);

  async function load(page, first = false) {
    if (wanted.current.has(page)) return;
    const mine = wanted.current.add(page);
    try {
      const result = await call(tool, { ...input, offset: page * pageSize, limit: pageSize });
      if (mine !== wanted.current) return; // the input has changed meanwhile
      setTotal(result.total);
      setPages((before) => new Map(first ? [] : before).set(page, result[field]));
    } catch {
      wanted.current.delete(page); // scrolling asks again; other calls show the error
    }
  }

  function onScroll() {
    const { scrollTop, clientHeight } = box.current;
    const from = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
    const to = Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan;
    setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]));
  }

  function onFocusIn(event) {
    active.current = Number(event.target.closest("li")?.dataset.index ?? -1);
  }

  // The arrow keys move between rows, also to rows that are not in the document yet.
  function onKeyDown(event) {
    const at = active.current;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -at, End: total - 1 - at };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(total - 1, at + steps[event.key]));
    active.current = to;
    const list = box.current;
    const top = to * rowHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight - list.clientHeight;
    onScroll();
    requestAnimationFrame(() => focusRow(to, 300));
  }

  // Moves the focus to a row as soon as it is in the document: it may have to be loaded.
  function focusRow(index, frames) {
    if (active.current !== index) return; // another key was pressed meanwhile
    const link = box.current?.querySelector(`li[data-index="${index}"] a`);
    if (link) link.focus({ preventScroll: true });
    else if (frames > 0) requestAnimationFrame(() => focusRow(index, frames - 1));
  }

  if (total === 0) return empty;
  const rows = [];
  for (let i = range[0]; i < Math.min(range[1], total ?? 0); i++) {
    const item = pages.get(Math.floor(i / pageSize))?.[i % pageSize];
    // The position of a row is set through the object model, which the policy allows.
    rows.push(html`<li key=${i} data-index=${i} aria-setsize=${total} aria-posinset=${i + 1}
      style=${{ top: `${i * rowHeight}px`, height: `${rowHeight}px` }}>${item ? row(item) : ""}</li>`);
  }
  return html`<div class="windowed" ref=${box} onScroll=${onScroll} onKeyDown=${onKeyDown} onFocusIn=${onFocusIn}
    tabindex="0" role="group" aria-label=${label}>
    <ul style=${{ height: `${(total ?? 0) * rowHeight}px` }}>${rows}</ul></div>`;
}
