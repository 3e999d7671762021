// Review: what the person should decide about memories, each with one button for a decision.
import { html, useState } from "../lib.js";
import { Button, Empty, Field, Loading, Problem, Section } from "../parts.js";
import { Compared, decisionWords } from "../shown.js";
import { fromHere, goTo, linkTo, place } from "../state.js";
import { text } from "../texts.js";
import { useAction, useCall } from "../use.js";

const kinds = () => ({
  "": text("Everything"),
  sync_conflict: text("Changed on two machines"),
  near: text("Near each other"),
  source_changed: text("Changed sources"),
  source_gone: text("Sources that are gone"),
  expired: text("Expired"),
  unconfirmed: text("Never confirmed"),
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

const keyOf = ({ kind, memories, conflict }) => [kind, conflict?.number, ...memories.map((m) => m.id)].join();

// versionsOf returns both versions of a record that two machines changed, as Compared shows them.
const versionsOf = ({ title, id, present, other, machine, at }) => [
  { id, caption: title, full_text: present },
  { id: "", caption: machine, full_text: other, created_at: at },
];

// Decision shows memories and the calls that decide about them. The server made the calls.
function Decision({ item }) {
  const [act, error, busy] = useAction();
  const id = `decision-${item.conflict?.number ?? item.memories[0].id}`;
  return html`<article class="card decision" aria-labelledby=${id}>
    <h2 class="why" id=${id}>${item.why}</h2>
    <${Compared} memories=${item.conflict ? versionsOf(item.conflict) : item.memories}
      caption=${(m) => (item.conflict ? m.caption : html`<a class="record" href=${linkTo("memories", m.id, fromHere())}>${m.caption}</a>`)} />
    <${Problem} error=${error} />
    <div class="row">${item.choices.map(
      (choice, i) => html`<${Button} kind=${i || !item.suggestion ? "" : "main"} busy=${busy}
        onClick=${() => act(choice.tool, choice.input, null, { about: changedBy })}>${decisionWords(item, choice)}<//>`,
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
