// Several records at once: rows are chosen, and an action changes all of them with one undo.
import { html, useState } from "./lib.js";
import { call } from "./api.js";
import { Button } from "./parts.js";
import { notice, spaceOf, storeVersion } from "./state.js";
import { text } from "./texts.js";

/**
 * Returns the selection of a view: whether rows can be chosen, the chosen records by their id, and
 * functions that change it.
 */
export function useSelection(idOf) {
  const [chosen, setChosen] = useState(null);
  return {
    on: chosen !== null,
    records: [...(chosen?.values() ?? [])],
    has: (record) => chosen?.has(idOf(record)) ?? false,
    turn: (on) => setChosen(on ? new Map() : null),
    toggle: (record) => {
      const next = new Map(chosen);
      if (!next.delete(idOf(record))) next.set(idOf(record), record);
      setChosen(next);
    },
  };
}

/** The button that begins a selection. */
export const SelectButton = ({ selection }) =>
  html`<${Button} aria-pressed=${String(selection.on)} onClick=${() => selection.turn(!selection.on)}>
    ${text("Select")}<//>`;

/** A box that chooses a record. */
export const SelectBox = ({ selection, record, title }) =>
  html`<input type="checkbox" class="select" checked=${selection.has(record)} aria-label=${text("Select: %s", title)}
    onChange=${() => selection.toggle(record)} />`;

/**
 * The bar with the actions for the chosen records. An action is {title, kind, calls}: calls(records)
 * returns its calls, {tool, input, about, space} each. about(result) returns the id of a record that was changed.
 */
export function SelectionBar({ selection, actions, children }) {
  const [busy, setBusy] = useState(false);
  if (!selection.on) return null;
  const { records } = selection;
  const run = async (calls) => {
    if (busy || !records.length) return;
    setBusy(true);
    await runAll(calls(records));
    setBusy(false);
    selection.turn(false);
  };
  return html`<div class="selection row" role="group" aria-label=${text("The selection")}>
    <span role="status">${text("Selected: %d", records.length)}</span>
    ${actions.map(
      ({ title, kind, calls }) =>
        html`<${Button} kind=${kind ?? ""} busy=${busy} disabled=${!records.length} onClick=${() => run(calls)}>
          ${title}<//>`,
    )}${children?.(run)}
    <${Button} kind="quiet" onClick=${() => selection.turn(false)}>${text("Cancel")}<//></div>`;
}

// runAll makes the calls of each tool and space together, as one change: all of them or none. What was
// done can be undone at once.
async function runAll(calls) {
  const undo = [];
  let count = 0;
  const keep = (id, space) => id && undo.unshift({ about: id, ...spaceOf({ space }) });
  try {
    for (const some of Map.groupBy(calls, ({ tool, space }) => `${tool} ${space ?? ""}`).values()) {
      count += await runGroup(some, keep);
    }
    notice.value = { message: text("Changed: %d", count), undo: undo.length > 0 && undo };
  } catch (problem) {
    notice.value = { problem, undo: undo.length > 0 && undo };
  }
  storeVersion.value += 1;
}

// runGroup makes calls of one tool and space, and returns how many records changed. Those of a calendar
// at a service are made one by one.
async function runGroup(some, keep) {
  const [{ tool, space }] = some;
  if (some.length > 1) {
    const inputs = some.map(({ input }) => input);
    const result = await call("change_together", { tool, inputs, ...spaceOf({ space }) });
    if (result.together) {
      keep(some[0].about(), space);
      return result.changed;
    }
  }
  let count = 0;
  for (const { input, about } of some) {
    keep(about(await call(tool, { ...input, ...spaceOf({ space }) })), space);
    count += input.ids?.length ?? 1;
  }
  return count;
}
