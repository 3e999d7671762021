// Focus: it stays in a list when its row goes.

const controls = "a, button, input, select, textarea, summary";

/**
 * Moves the focus to the row after one that was removed while it had the focus, such as a to-do that was
 * ticked, or to the heading. Otherwise the keyboard would start at the top of the page.
 */
export function keepFocus() {
  let last = null; // {element, list, index, tag}: where the focus was
  document.addEventListener("focusin", ({ target }) => {
    const row = target.closest("main li, main article");
    const list = row?.parentElement;
    last = { element: target, list, index: list ? [...list.children].indexOf(row) : -1, tag: target.localName };
  });
  new MutationObserver(() => {
    if (document.activeElement !== document.body || !last || last.element.isConnected) return;
    const { element, list, index, tag } = last;
    last = null;
    if (element.matches(".fc-event")) return; // the calendar brings its focus back itself
    const row = list?.isConnected ? (list.children[index] ?? list.lastElementChild) : null;
    const next = row?.querySelector(tag) ?? row?.querySelector(controls) ?? document.querySelector("main h1");
    next?.focus({ preventScroll: true });
  }).observe(document.querySelector("#app"), { childList: true, subtree: true });
}
