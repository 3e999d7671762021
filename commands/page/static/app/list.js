// A list of any length that only has the rows in view in the document.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./lib.js";
import { call } from "./api.js";
import { Problem } from "./parts.js";
import { storeVersion } from "./state.js";

const pageSize = 100; // rows of one call
const overscan = 8; // rows beyond the edges, for the keyboard and fast scrolling

const scrolls = new Map(); // how far each list was scrolled when it was left
const tops = new WeakMap(); // how far a list that is shown is scrolled

/**
 * Shows the rows of a listing tool. field names the list in its results; row(item, tabindex)
 * returns the content of a row, which contains one link. All rows have the same height. Tab
 * reaches one row, the arrow keys move to the others.
 */
export function WindowedList({ tool, input, field, row, rowHeight, label, empty }) {
  const [[from, to], setRange] = useState([0, 20]);
  const { pages, total, error } = usePages({ tool, input, field }, from, to);
  const box = useRef();
  // Who comes back from a record finds the list where it was.
  const place = `${tool} ${JSON.stringify(input)}`;
  const restored = useRef(false);
  useLayoutEffect(() => {
    if (!total || restored.current) return;
    restored.current = true;
    if (!scrolls.get(place)) return;
    box.current.scrollTop = scrolls.get(place);
    onScroll();
  }, [total]);
  useEffect(() => {
    const list = box.current;
    return () => list && scrolls.set(place, tops.get(list) ?? 0);
  }, [place]);

  // The row with the focus, or the one that gets it next; -1 for none. It stays in the document
  // when it is scrolled out of view, so that the next key still reaches the list.
  const [chosen, setActive] = useState(-1);
  const active = chosen < (total ?? 0) ? chosen : -1; // rows may have been removed
  const wanted = useRef({ row: -1, focus: false });

  // Several keys may come before the next rendering, so the row is kept at once as well.
  function choose(index, focus) {
    wanted.current = { row: index, focus };
    setActive(index);
  }

  // A row gets the focus as soon as it is in the document: it may have to be loaded.
  useLayoutEffect(() => {
    const link = wanted.current.focus && box.current?.querySelector(`li[data-index="${wanted.current.row}"] a`);
    if (!link) return;
    wanted.current.focus = false;
    link.focus({ preventScroll: true });
  });

  function onScroll() {
    const { scrollTop, clientHeight } = box.current;
    tops.set(box.current, scrollTop);
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
    const end = Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan;
    setRange((before) => (before[0] === first && before[1] === end ? before : [first, end]));
  }

  function onFocusIn(event) {
    const index = event.target.closest("li")?.dataset.index;
    if (index !== undefined && !wanted.current.focus) choose(Number(index), false);
  }

  function onKeyDown(event) {
    const list = box.current;
    const at = wanted.current.row >= 0 ? wanted.current.row : Math.floor(list.scrollTop / rowHeight) - 1;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -total, End: total };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(total - 1, at + steps[event.key]));
    const top = next * rowHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight - list.clientHeight;
    choose(next, true);
    onScroll();
  }

  if (total === 0) return html`<${Problem} error=${error} />${empty}`;
  const indexes = [];
  for (let i = from; i < Math.min(to, total ?? 0); i++) indexes.push(i);
  if (active >= 0 && (active < from || active >= to)) indexes.push(active);
  const shown = (i) => {
    const item = pages.get(Math.floor(i / pageSize))?.[i % pageSize];
    // The position of a row is set through the object model, which the policy allows.
    return html`<li key=${i} data-index=${i} aria-setsize=${total} aria-posinset=${i + 1}
      style=${{ top: `${i * rowHeight}px`, height: `${rowHeight}px` }}>${item ? row(item, i === active ? 0 : -1) : ""}
      </li>`;
  };
  return html`<${Problem} error=${error} /><div class="windowed" ref=${box} onScroll=${onScroll} onKeyDown=${onKeyDown}
    onFocusIn=${onFocusIn} tabindex=${active >= 0 ? -1 : 0} role="group" aria-label=${label}>
    <ul style=${{ height: `${(total ?? 0) * rowHeight}px` }}>${indexes.map(shown)}</ul></div>`;
}

// usePages returns {pages, total, error}: the pages of rows that are or were in view, by their
// number. After a change of the store the old rows stay until the new ones are there, so that
// nothing flickers and the focus stays.
function usePages({ tool, input, field }, from, to) {
  const version = storeVersion.use();
  const key = JSON.stringify(input);
  const [state, setState] = useState({ key, pages: new Map(), total: null, error: null });
  const calls = useRef({ key: "", versions: new Map() }); // the version of each page that was asked for
  const first = Math.floor(from / pageSize);
  const last = Math.floor(to / pageSize);

  async function load(page, mine) {
    mine.versions.set(page, version);
    try {
      const result = await call(tool, { ...input, offset: page * pageSize, limit: pageSize });
      // The input may have changed meanwhile, or a later call has answered earlier.
      if (mine !== calls.current || version < (mine.shown.get(page) ?? 0)) return;
      mine.shown.set(page, version);
      setState((b) => {
        const pages = new Map(b.key === key ? b.pages : []).set(page, result[field]);
        return { key, pages, total: result.total, error: null };
      });
    } catch (error) {
      mine.versions.delete(page); // scrolling asks again
      if (mine === calls.current) setState((b) => ({ ...b, error }));
    }
  }

  useEffect(() => {
    if (calls.current.key !== key) calls.current = { key, versions: new Map(), shown: new Map() };
    const mine = calls.current;
    for (let page = first; page <= last; page++) {
      const exists = page === first || state.total === null || page * pageSize < state.total;
      if (exists && mine.versions.get(page) !== version) load(page, mine);
    }
  }, [key, version, first, last, state.total]);
  return state;
}
