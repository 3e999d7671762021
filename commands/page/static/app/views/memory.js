// One memory with its neighbours in time, its former texts and its changes.
import { html, useEffect, useLayoutEffect, useState } from "../lib.js";
import { Markdown } from "../markdown.js";
import { Button, Disclosure, Facts, Loading, Problem, repeats, Section } from "../parts.js";
import { goBack, goTo, linkTo, place, subject } from "../state.js";
import { text } from "../texts.js";
import { when } from "../time.js";
import { useAction, useCall } from "../use.js";
import { ChangeList } from "./changes.js";
import { MemoryEditor, MemorySuperseder } from "./memory-form.js";

export function MemoryView({ id }) {
  const { result, error, loading } = useCall("get_memory", { id });
  const [dialog, setDialog] = useState("");
  const [act, problem, busy] = useAction();
  const there = Boolean(result);
  const caption = result?.memory.caption ?? "";
  useEffect(() => {
    subject.value = caption;
    return () => {
      subject.value = "";
    };
  }, [caption]);
  useLayoutEffect(() => {
    if (there) document.querySelector("article.memory h2").focus({ preventScroll: true });
  }, [there]);
  if (loading) return html`<${Loading} />`;
  const from = place.value.query.get("from") ?? "";
  const names = { today: text("Today"), search: text("Search"), review: text("Review"), changes: text("Changes") };
  const back = html`<p><a href=${from.startsWith("#/") ? from : linkTo("memories")}>← ${
    names[/^#\/(\w+)/.exec(from)?.[1]] ?? text("Memories")
  }</a></p>`;
  // A memory that is removed while it is edited stays: the text in the dialog must not be lost.
  if (error && !(result && dialog)) return html`${back}<${Problem} error=${error} />`;
  const memory = result.memory;
  const remove = () => act("remove_memory", { ids: [id] }, () => goBack(linkTo("memories")), { about: () => id });
  const close = () => setDialog("");
  return html`${back}
    <article class="card memory">
      <h2 tabindex="-1">${memory.caption}</h2>
      ${result.superseded_by && html`<p class="hint superseded-note" role="status">
        ${text("%s was superseded on %s. This is what is true now.", id, when(result.superseded_at))}</p>`}
      ${!repeats(memory.full_text, memory.caption) && html`<${Markdown} source=${memory.full_text} />`}
      <${Facts} facts=${factsOf(memory)} />
      <${Problem} error=${problem} />
      <div class="row">
        <${Button} onClick=${() => setDialog("edit")}>${text("Edit")}<//>
        <${Button} onClick=${() => setDialog("supersede")}>${text("No longer true…")}<//>
        <${Button} kind="danger" busy=${busy} onClick=${remove}>${text("Remove")}<//></div>
    </article>
    ${
      memory.supersedes?.length > 0 &&
      html`<${Section} title=${text("Earlier texts")}>
      ${memory.supersedes.map(
        (old) => html`<${Disclosure}
          summary=${html`<span class="superseded">${old.caption}</span>${" "}
            <span class="soft small">${when(old.created_at)} · ${text("superseded on %s", when(old.superseded_at))}</span>`}>
        <${Markdown} source=${old.full_text} /><//>`,
      )}<//>`
    }
    <${Timeline} id=${id} />
    <${History} id=${id} />
    ${dialog === "edit" && html`<${MemoryEditor} memory=${memory} onClose=${close} />`}
    ${dialog === "supersede" && html`<${MemorySuperseder} memory=${memory} onClose=${close} />`}`;
}

const factsOf = (memory) => [
    [text("Learned"), when(memory.created_at)],
    [text("Changed"), memory.updated_at !== memory.created_at && when(memory.updated_at)],
    [
      text("Session"),
      memory.session &&
        html`<a href=${linkTo("memories", "", { session: memory.session })}>
      ${memory.session}</a>`,
    ],
    [text("Topic"), memory.topic],
    [text("Space"), memory.space],
    [text("Scope"), memory.scope === "project" ? text("project") : ""],
    [text("Expires"), memory.expires_at && when(memory.expires_at)],
    [text("Id"), html`<code>${memory.id}</code>`],
];

function Timeline({ id }) {
  const { result } = useCall("memory_timeline", { id, around: 4 });
  if (!result || result.memories.length < 2) return null;
  return html`<${Section} title=${text("Around that time")}><ol class="timeline">${result.memories.map(
    (m) => html`
    <li><a href=${linkTo("memories", m.id)} aria-current=${m.id === id ? "true" : undefined}>
      <span class="soft small">${when(m.created_at)}</span> ${m.caption}</a></li>`,
  )}</ol><//>`;
}

function History({ id }) {
  const { result } = useCall("list_history", { about: id });
  if (!result?.changes.length) return null;
  return html`<${Section} title=${text("Changes")}><${ChangeList} changes=${result.changes} /><//>`;
}
