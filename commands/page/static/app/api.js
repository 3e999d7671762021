// Calls of tools, and the events of the store. The page has no other way to the data.
import { place } from "./state.js";
import { lang } from "./texts.js";

const proofKey = "techo-proof";

/** The error of a call: the document that every interface of techo answers with. */
export class CallError extends Error {
  constructor({ code, message, hint, details }) {
    super(message);
    Object.assign(this, { code, hint: hint ?? "", details: details ?? [] });
  }
}

// The proof shows that a request is made by this page and not by another one that the
// browser sends the cookie for. Only scripts of this origin can read it.
let tried = "";
const proof = () => tried || (localStorage.getItem(proofKey) ?? "");

const headers = () => ({
  "Content-Type": "application/json",
  "Techo-Lang": lang(),
  ...(proof() ? { "Techo-Page": proof() } : {}),
});

async function post(path, input, signal) {
  let answer;
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: headers(),
      body: JSON.stringify(input),
      signal,
      credentials: "same-origin",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new CallError({ code: "unreachable", message: "" });
  }
  const document = await answer.json();
  if (document.error) throw new CallError(document.error);
  return document;
}

// The tools whose records are in no space.
const spaceless = /question|store|backup|spaces$|setting/;

/**
 * Calls a tool and returns its result. The tool uses the space that is shown, unless the input names
 * one. Throws a CallError, or an AbortError.
 */
export async function call(tool, input = {}, signal) {
  const { space } = place.value;
  const result = await post(`/tools/${tool}`, space && !spaceless.test(tool) ? { space, ...input } : input, signal);
  for (const record of [result.event, result.todo, result.events, result.todos].flat()) {
    if (record?.space) record.calendar = `${record.space}/${record.calendar}`; // as it is named in calls
  }
  for (const c of Array.isArray(result.calendars) ? result.calendars : []) if (c.space) c.name = `${c.space}/${c.name}`;
  return result;
}

/** Enters the person's secret, which a session needs once. */
export const enterSecret = (secret) => post("/page/secret", { secret });

/**
 * Returns the settings of the page. given is the proof in the link that opened the page, or "".
 * It is kept if it is valid: any page can link here with another one.
 */
export async function openSession(given) {
  if (given) {
    tried = given;
    try {
      const session = await post("/page/session", {});
      localStorage.setItem(proofKey, given);
      return session;
    } catch (error) {
      if (!localStorage.getItem(proofKey) || error.code !== "unavailable") throw error;
    } finally {
      tried = "";
    }
  }
  return post("/page/session", {});
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls onChange whenever any process has changed the store, and onState(connected). */
export async function watchStore(onChange, onState) {
  for (;;) {
    await visible();
    try {
      await readEvents(onChange, onState);
    } catch {
      // The server was stopped or the tab was hidden; try again.
    }
    onState(document.hidden); // a hidden tab is not disconnected: it waits
    await pause(1000);
  }
}

// Browsers allow six connections to a server, so a hidden tab does not keep one.
const visible = () =>
  new Promise((resolve) => {
    const check = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", check);
      resolve();
    };
    document.addEventListener("visibilitychange", check);
    check();
  });

// Unlike EventSource, fetch can send the header with the proof.
async function readEvents(onChange, onState) {
  const abort = new AbortController();
  const onHide = () => document.hidden && abort.abort();
  document.addEventListener("visibilitychange", onHide);
  try {
    const answer = await fetch("/page/events", { headers: headers(), signal: abort.signal });
    if (!answer.ok) throw new Error(String(answer.status));
    onState(true);
    onChange(); // something may have changed before the stream began
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      if (parts.some((part) => part.startsWith("event: change"))) onChange();
    }
  } finally {
    document.removeEventListener("visibilitychange", onHide);
  }
}
