// Calls of tools from components.
import { useCallback, useEffect, useRef, useState } from "./lib.js";
import { call } from "./api.js";
import { notice, storeVersion } from "./state.js";
import { text } from "./texts.js";

/**
 * Calls a tool when a component appears, when the input changes, and when the store changes.
 * Returns {result, error, loading}. The last result stays while a new one is on its way. A
 * null input makes no call.
 */
export function useCall(tool, input) {
  const [state, setState] = useState({ result: null, error: null, loading: true });
  const version = storeVersion.use();
  const key = JSON.stringify(input);
  useEffect(() => {
    if (input === null) return undefined;
    const abort = new AbortController();
    call(tool, input, abort.signal).then(
      (result) => setState({ result, error: null, loading: false, key }),
      (error) => error.name !== "AbortError" && setState({ result: null, error, loading: false, key }),
    );
    return () => abort.abort();
  }, [tool, key, version]);
  return { ...state, stale: state.key !== key };
}

/**
 * Returns [act, error, busy, clear]. act(tool, input, done) calls a tool, shows its message and
 * calls done(result). A second call does not start before the first has ended.
 */
export function useAction() {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const act = useCallback(async (tool, input, done, { about } = {}) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      const result = await call(tool, input);
      notice.value = { message: result.message, undo: about?.(result) };
      storeVersion.value += 1;
      done?.(result);
    } catch (problem) {
      setError(problem);
    } finally {
      running.current = false;
      setBusy(false);
    }
  }, []);
  return [act, error, busy, () => setError(null)];
}

/** Undoes the newest change of a record, and shows the outcome as a notice. */
export async function undoLast(about) {
  try {
    const { changes } = await call("list_history", { about, limit: 1 });
    if (!changes.length) throw new Error(text("There is nothing to undo"));
    const result = await call("undo_change", { id: changes[0].id });
    notice.value = { message: result.message };
  } catch (problem) {
    notice.value = { problem };
  }
  storeVersion.value += 1;
}
