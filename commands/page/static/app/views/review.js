// Review: what the person should decide about memories, each with one button for a decision.
import { html, useState } from "../lib.js";
import { Button, Empty, Field, Loading, Problem, Section } from "../parts.js";
import { goTo, linkTo, place } from "../state.js";
import { text } from "../texts.js";
import { when } from "../time.js";
import { useAction, useCall } from "../use.js";

const kinds = () => ({
  "": text("Everything"),
  contradiction: text("Contradictions"),
  source_changed: text("Changed sources"),
  repetition: text("Repetitions"),
  expired: text("Expired"),
  unconfirmed: text("Never confirmed"),
});

// The words of a decision, by what it does. Of two memories the first one is on top.
const choices = () => ({
  supersede: text("Only the first one is true"),
  keep_both: text("Keep both"),
  keep_all: text("Keep all"),
  merge: text("Join them"),
  confirm: text("Still true"),
  keep: text("Keep it"),
  remove: text("Remove"),
  remove_second: text("Remove the second one"),
});

export function Review() {
  const { query } = place.use();
  const kind = query.get("kind") ?? "";
  const [shown, setShown] = useState(20);
  const { result, error, loading } = useCall("review_memories", { limit: shown, ...(kind ? { kind } : {}) });
  return html`<div class="tools"><${Field} label=${text("Show")}>
      <select onChange=${(e) => goTo(linkTo("review", "", { kind: e.currentTarget.value }))}>
        ${Object.entries(kinds()).map(
          ([name, title]) => html`<option value=${name} selected=${name === kind}>${title}</option>`,
        )}</select><//></div>
    <${Problem} error=${error} />
    ${loading && html`<${Loading} />`}
    ${
      result &&
      (result.items.length
        ? html`<p class="soft small" role="status">${result.message}</p>
          ${result.items.map((item) => html`<${Decision} key=${keyOf(item)} item=${item} />`)}`
        : html`<${Empty} message=${text("Nothing is to be decided about memories.")}
          command="techo memory review" />`)
    }
    ${
      result?.next_cursor &&
      shown < 200 &&
      html`<${Button} onClick=${() => setShown(Math.min(200, shown + 40))}>${text("Show more")}<//>`
    }`;
}

const keyOf = ({ kind, memories }) => [kind, ...memories.map((m) => m.id)].join();

// Decision shows memories and the calls that decide about them. The server made the calls.
function Decision({ item }) {
  const [act, error, busy] = useAction();
  const several = item.memories.length;
  const words = ({ choice }) =>
    choices()[
      choice === "remove" && several > 1 ? "remove_second" : choice === "keep_both" && several > 2 ? "keep_all" : choice
    ] ?? choice;
  const id = `decision-${item.memories[0].id}`;
  return html`<article class="card decision" aria-labelledby=${id}>
    <h2 class="why" id=${id}>${item.why}</h2>
    <ol class="plain">${item.memories.map(
      (m) => html`<li key=${m.id}><a href=${linkTo("memories", m.id)}>${m.caption}</a>
        ${m.full_text.trim() !== m.caption.trim() && html`<p class="content clamped">${m.full_text}</p>`}
        <p class="soft small">${[when(m.created_at), m.session, m.source].filter(Boolean).join(" · ")}</p></li>`,
    )}</ol>
    <${Problem} error=${error} />
    <div class="row">${item.choices.map(
      (choice, i) => html`<${Button} kind=${i ? "" : "main"} busy=${busy}
        onClick=${() => act(choice.tool, choice.input, null, { about: changedBy })}>${words(choice)}<//>`,
    )}</div></article>`;
}

// changedBy returns the id of a memory that a decision has changed, or undefined.
const changedBy = (r) => (r.merged?.length === 0 ? undefined : (r.memory?.id ?? r.confirmed?.[0] ?? r.removed?.[0]));

/** What waits for a decision about memories, for the view Today. */
export function Decisions() {
  const { result, error } = useCall("review_memories", { limit: 1 });
  if (!result?.total) return html`<${Problem} error=${error} />`;
  return html`<${Section} title=${text("Memories to review")}
      action=${html`<a href=${linkTo("review")}>${text("Review")}</a>`}>
    <${Problem} error=${error} />
    <p><a href=${linkTo("review")}>
      ${
        result.at_least
          ? text("Waiting decisions: more than %d", result.total)
          : text("Waiting decisions: %d", result.total)
      }</a></p><//>`;
}
