// The notice at the bottom of the page.
import { html, useEffect } from "./lib.js";
import { Button, Problem } from "./parts.js";
import { notice } from "./state.js";
import { text } from "./texts.js";
import { undoLast } from "./use.js";

/** The notice after an action, with the way to undo it. */
export function Notice() {
  const shown = notice.use();
  useEffect(() => {
    if (!shown || shown.problem || typeof shown.message !== "string") return undefined; // the person decides
    const timer = setTimeout(() => {
      notice.value = null;
    }, 12_000);
    return () => clearTimeout(timer);
  }, [shown]);
  return html`<div class="notice-place" role="status" aria-live="polite">
    ${
      shown &&
      html`<div class="notice">
      ${shown.problem ? html`<${Problem} error=${shown.problem} />` : html`<p>${shown.message}</p>`}
      ${
        shown.undo &&
        html`<${Button} onClick=${() => undoLast(shown.undo, shown.redo)}>${shown.redo ? text("Redo") : text("Undo")}<//>`
      }
      <button type="button" class="button quiet" aria-label=${text("Close")}
        onClick=${() => {
          notice.value = null;
        }}>✕</button>
    </div>`
    }
  </div>`;
}
