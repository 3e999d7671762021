// The views in chats: what an agent asked, found or changed. They are for reading: a host does not
// prove that a person pressed a button, so there are none.
import { html } from "../lib.js";
import { Facts } from "../parts.js";
import { answerStates, Compared, decisionWords, Lines } from "../shown.js";
import { text } from "../texts.js";
import { clockTime, longDay, wall, when } from "../time.js";

const words = (value) => (typeof value === "string" ? value : "");
const list = (value) => (Array.isArray(value) ? value : []);

/** A question with its options, and what became of it. */
export function Question({ input, result }) {
  const chosen = list(result?.indexes);
  return html`<article class="card question">
    <p class="asked">${words(input?.question)}</p>
    <ol class="offered">${list(input?.options).map(
      (option, i) => html`<li>${words(option)}${
        chosen.includes(i + 1) && html` <span class="tag">${text("chosen")}</span>`
      }</li>`,
    )}</ol>
    <${Outcome} result=${result} fallback=${words(input?.default)} />
  </article>`;
}

function Outcome({ result, fallback }) {
  if (!result || result.status === "pending") {
    return html`<p class="hint">${text("To answer: the dialog of this program, techo page, or techo ask watch")}</p>
      ${fallback && html`<p class="soft small">${text("default: %s", fallback)}</p>`}`;
  }
  if (result.status !== "answered") return html`<p class="outcome">${answerStates()[result.status]}</p>`;
  return html`<p class="outcome">${text("Answer: %s", result.answer)}</p>
    <p class="soft small">${[result.by && text("by %s", result.by), result.via && text("via %s", result.via)]
      .filter(Boolean)
      .join(" · ")}</p>`;
}

/** Times at which a meeting is possible, by day. */
export function Times({ result }) {
  return html`<article class="card"><p class="lead">${result.message}</p>
    <${Slots} slots=${list(result.suggestions)} />
    ${
      list(result.alternatives).length > 0 &&
      html`<h2>${text("Other times")}</h2><${Slots} day="h3" slots=${result.alternatives} />`
    }
    <${Facts} facts=${[
      [text("Time zone"), result.timezone],
      [text("Calendars"), list(result.checked).join(", ")],
      [text("In the way"), list(result.blocked_by).map((e) => e.title).join(", ")],
      [text("Not read"), list(result.unchecked).map((c) => c.calendar ?? c.name).join(", ")],
    ]} /></article>`;
}

// Slots lists times. day is the element of the heading of a day.
function Slots({ slots, day = "h2" }) {
  const days = [...new Set(slots.map((s) => s.date))];
  return days.map(
    (date) => html`<${day} class="day">${longDay(wall(date))}<//>
    <ul class="plain slots">${slots
      .filter((s) => s.date === date)
      .map(
        (s) => html`<li><b>${clockTime(s.start)}–${clockTime(s.end)}</b>
        <span class="soft small">${[s.label, ...list(s.why)].filter(Boolean).join(" · ")}</span></li>`,
      )}</ul>`,
  );
}

/** What is to be decided about memories. */
export function Review({ result }) {
  return html`<p class="soft small">${result.message}</p>
    ${list(result.items).map(
      (item) => html`<article class="card decision"><h2 class="why">${item.why}</h2>
      <${Compared} memories=${item.memories} caption=${(m) => html`<b>${m.caption}</b>`} />
      ${item.suggestion && html`<p>${text("Suggestion: %s", decisionWords(item, item.suggestion))}</p>`}</article>`,
    )}
    ${list(result.items).length > 0 && html`<p class="hint">${text("Decide on the page: techo page")}</p>`}`;
}

/** What a change did to a record or a file. */
export function Difference({ result }) {
  const { change } = result;
  return html`<article class="card"><p class="lead">${change?.title ?? result.message}</p>
    <${Lines} diff=${result.diff} ofFile=${!change || change.family === "files"} />
    ${result.diff_truncated && html`<p class="hint">${text("This is the beginning of the difference.")}</p>`}
    ${
      change &&
      html`<p class="soft small">${[change.by, when(change.at), change.undone && text("undone"), change.id]
        .filter(Boolean)
        .join(" · ")}</p>`
    }</article>`;
}
