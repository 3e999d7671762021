// Focus: it stays in a list when its row goes.

const controls = "a, button, input, select, textarea, summary";

const rows = () => [...document.querySelectorAll("main li, main article")];

/**
 * Moves the focus to the row after one that was removed while it had the focus, such as a to-do that was
 * ticked, or to the heading. Otherwise the keyboard would start at the top of the page.
 */
export function keepFocus() {
  let last = null; // where the focus was
  document.addEventListener("focusin", ({ target }) => {
    const row = target.closest("main li, main article");
    const list = row?.parentElement;
    const index = list ? [...list.children].indexOf(row) : -1;
    last = { element: target, list, index, tag: target.localName, place: rows().indexOf(row), link: location.hash };
  });
  new MutationObserver(() => {
    if (document.activeElement !== document.body || !last || last.element.isConnected) return;
    const { element, list, index, tag, place, link } = last;
    last = null;
    if (element.matches(".fc-event")) return; // the calendar brings its focus back itself
    const beside = list?.isConnected ? (list.children[index] ?? list.lastElementChild) : null;
    const row = beside ?? (link === location.hash && (rows()[place] ?? rows().at(-1))); // its list went with it
    const next = (row && (row.querySelector(tag) ?? row.querySelector(controls))) || document.querySelector("main h1");
    next?.focus({ preventScroll: true });
  }).observe(document.querySelector("#app"), { childList: true, subtree: true });
}
