// What the page and the views in chats show alike. These parts call no tools.
import { html } from "./lib.js";
import { text } from "./texts.js";
import { when } from "./time.js";

/** A difference line by line. Records have a line for each field, which begins with its name. */
export function Lines({ diff, ofFile }) {
  return html`<pre class="diff" tabindex="0" aria-label=${text("Differences")}>${(diff ?? "")
    .replace(/\n$/, "")
    .split("\n")
    .filter((line) => ofFile || !/^--- |^@@ /.test(line))
    .map(
      (line, i, all) =>
        html`<${Line} line=${line} ofFile=${ofFile} names=${namesFile(line, all[i - 1], all[i + 1])} />`,
    )}</pre>`;
}

// namesFile reports whether a line is one of the two with the names of a file.
const namesFile = (line, before, after) =>
  line.startsWith("--- ") ? after?.startsWith("+++ ") : line.startsWith("+++ ") && before?.startsWith("--- ");

function Line({ line, ofFile, names }) {
  const record = !ofFile && /^\+\+\+ (?:b\/)?(.*)/.exec(line);
  if (record) return html`<span class="line place">${record[1]}</span>`;
  const kind = names ? "place" : ({ "+": "added", "-": "removed", "@": "place" }[line[0]] ?? "");
  const [, sign, name, rest] = (!ofFile && /^([-+ ])([a-z_]+:)(.*)$/s.exec(line)) || [];
  return html`<span class=${`line ${kind}`}>${name ? html`${sign}<b>${name}</b>${rest}` : line}</span>`;
}

/** The words for the states of a question. */
export const answerStates = () => ({
  answered: text("answered"),
  declined: text("declined"),
  cancelled: text("withdrawn"),
  timeout: text("expired"),
});

/** Memories of which something is to be decided. caption shows the first line of each. */
export function Compared({ memories, caption }) {
  return html`<ol class="plain">${memories.map(
    (m) => html`<li key=${m.id}>${caption(m)}
      ${m.full_text && m.full_text.trim() !== m.caption.trim() && html`<p class="content clamped">${m.full_text}</p>`}
      <p class="soft small">${[when(m.created_at), m.session, m.source].filter(Boolean).join(" · ")}</p></li>`,
  )}</ol>`;
}

// The words of a decision, by what it does. Of two memories the first one is on top.
const decisions = () => ({
  supersede: text("Only the first one is true"),
  keep_both: text("Keep both"),
  keep_all: text("Keep all"),
  merge: text("Join them"),
  confirm: text("Still true"),
  keep: text("Keep it"),
  keep_present: text("Keep it as it is"),
  keep_other: text("Bring the other one back"),
  remove: text("Remove"),
  remove_second: text("Remove the second one"),
});

/** Says what a choice about the memories of an item does. */
export function decisionWords({ memories: { length } }, { choice }) {
  const longer = { remove: length > 1 && "remove_second", keep_both: length > 2 && "keep_all" }[choice];
  return decisions()[longer || choice] ?? choice;
}
