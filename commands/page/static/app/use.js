// Calls of tools from components.
import { useCallback, useEffect, useRef, useState } from "./lib.js";
import { call } from "./api.js";
import { drafts, notice, place, storeVersion } from "./state.js";
import { text } from "./texts.js";

/**
 * Calls a tool when a component appears, when the input changes, and when the store changes.
 * Returns {result, error, loading}. The last result stays while a new one is on its way, and
 * beside the error of a repeated call: what a person types into it must not disappear. A null
 * input makes no call.
 */
export function useCall(tool, input) {
  const [state, setState] = useState({ result: null, error: null, loading: true, key: "" });
  const version = storeVersion.use();
  const key = `${tool} ${JSON.stringify(input)}`;
  const calls = useRef(null);
  useEffect(() => {
    if (input === null) return undefined;
    calls.current = repeatable(
      (signal) => call(tool, input, signal),
      (result) => setState({ result, error: null, loading: false, key }),
      (error) => setState((b) => ({ result: b.key === key ? b.result : null, error, loading: false, key })),
    );
    return () => calls.current.stop();
  }, [key]);
  useEffect(() => {
    if (input !== null) calls.current.start();
  }, [key, version]);
  return state;
}

// repeatable returns a call that can be started again. A call that runs is not given up for the
// next one, so that frequent changes of the store cannot keep every answer away.
function repeatable(make, onResult, onError) {
  const abort = new AbortController();
  let running = false;
  let again = false;
  const run = async () => {
    running = true;
    do {
      again = false;
      try {
        const result = await make(abort.signal);
        if (!abort.signal.aborted) onResult(result);
      } catch (error) {
        if (!abort.signal.aborted) onError(error);
      }
    } while (again && !abort.signal.aborted);
    running = false;
  };
  const start = () => {
    if (running) again = true;
    else run();
  };
  return { start, stop: () => abort.abort() };
}

// An id is for commands; the page shows the record itself.
const withoutId = (message) => message.replace(/ ?[(（]id: [^)）]*[)）]/g, "");

/**
 * Returns [act, error, busy, clear, again]. act(tool, input, done) calls a tool, shows its message
 * and calls done(result). A second call does not start before the first has ended. again() repeats
 * the last one.
 */
export function useAction() {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const last = useRef([]);
  const act = useCallback(async (tool, input, done, { about, message } = {}) => {
    if (running.current) return;
    last.current = [tool, input, done, { about, message }];
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      const result = await call(tool, input);
      const changed = about?.(result);
      notice.value = {
        message: message?.(result) ?? withoutId(result.message),
        undo: changed && [{ about: changed, ...spaceIn(input) }],
      };
      storeVersion.value += 1;
      done?.(result);
    } catch (problem) {
      setError(problem);
    } finally {
      running.current = false;
      setBusy(false);
    }
  }, []);
  return [act, error, busy, () => setError(null), () => act(...last.current)];
}

// spaceIn returns the field of an input that names a shared space, if one does.
function spaceIn({ space, calendar }) {
  const of = space ?? (/^(.+?)[/]/.exec(calendar ?? "")?.[1] || "");
  return of ? { space: of } : {};
}

/**
 * Returns {fields, change, kept, drop, reset}: the fields of a form, which are kept as a draft while they differ
 * from the first ones. kept says that they come from an earlier draft. drop() forgets the draft, and reset(first)
 * begins again with other fields.
 */
export function useDraft(form, first) {
  const name = `${form} ${place.value.space}`;
  const base = useRef(first);
  const [kept, setKept] = useState(() => drafts.has(name));
  const [fields, setFields] = useState(() => ({ ...first, ...drafts.get(name) }));
  const change = (next) => {
    const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    const typed = Object.entries(next).filter(([field, value]) => !same(value, base.current[field]));
    if (typed.length) drafts.set(name, Object.fromEntries(typed));
    else drafts.delete(name);
    setFields(next);
  };
  const drop = () => drafts.delete(name);
  const reset = (next = base.current) => {
    base.current = next;
    drop();
    setKept(false);
    setFields(next);
  };
  return { fields, change, kept, drop, reset };
}

/** Undoes the newest change of each record, or the undo if redo is true. The notice of the outcome offers the other one. */
export async function undoLast(records, redo) {
  try {
    for (const record of records) {
      const { changes } = await call("list_history", { ...record, limit: 1 });
      if (!changes.length) throw new Error(text("There is nothing to undo"));
      const { about, ...space } = record;
      await call("undo_change", { id: changes[0].id, ...space });
    }
    const outcome = redo ? text("Redone") : text("Undone");
    const message = records.length > 1 ? `${outcome}: ${records.length}` : outcome;
    notice.value = { message, undo: records.toReversed(), redo: !redo };
  } catch (problem) {
    notice.value = { problem };
  }
  storeVersion.value += 1;
}
