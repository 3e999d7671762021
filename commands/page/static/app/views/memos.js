// Memos: by priority and tag, and the section of the prompt that an agent sees.
import { html, useState } from "../lib.js";
import { Markdown } from "../markdown.js";
import { Button, Disclosure, Empty, Field, Loading, Problem, TextInput } from "../parts.js";
import { SelectBox, SelectButton, SelectionBar, useSelection } from "../select.js";
import { goBack, linkTo, place, spaceOf } from "../state.js";
import { text } from "../texts.js";
import { when } from "../time.js";
import { useAction, useCall } from "../use.js";
import { MemoForm } from "./memo-form.js";

export function Memos() {
  const { id, query } = place.use();
  const tag = query.get("tag") ?? "";
  const [words, setWords] = useState("");
  const [shown, setShown] = useState(100);
  const [dialog, setDialog] = useState(null);
  const selection = useSelection((memo) => memo.id);
  const input = { limit: shown, ...(tag ? { tag } : {}), ...(words.trim() ? { query: words } : {}) };
  const { result, error, loading } = useCall("list_memo", input);
  const groups = Map.groupBy(result?.memos ?? [], (memo) => memo.priority);
  return html`<div class="tools">
      <${Field} label=${text("Search")} wide=${true}><${TextInput} type="search" value=${words} onText=${setWords} />
      <//>
      <${SelectButton} selection=${selection} />
      <${Button} kind="main" data-key="n" onClick=${() => setDialog({})}>${text("New memo")}<//></div>
    <${MemoActions} selection=${selection} />
    <${Tags} current=${tag} />
    <${Problem} error=${error} />
    ${loading && html`<${Loading} />`}
    ${
      result &&
      !result.memos.length &&
      (words.trim() || tag
        ? html`<p class="soft" role="status">${text("Nothing found")}</p>`
        : html`<${Empty} message=${noMemos()}
        command='techo memo add ramen "Tanaka likes ramen" --priority 4 --tag food' />`)
    }
    ${[...groups].map(
      ([priority, memos]) => html`<section class="section">
      <h2 class="priority"><span aria-hidden="true">${"●".repeat(priority)}${"○".repeat(5 - priority)}</span>
        ${text("Priority %d", priority)}</h2>
      <ul class="cards">${memos.map(
        (memo) => html`<${Memo} key=${memo.id} ...${{ memo, selection }}
        onEdit=${() => setDialog(memo)} />`,
      )}</ul></section>`,
    )}
    ${
      result &&
      result.total > result.memos.length &&
      html`<${Button} onClick=${() => setShown(shown + 200)}>
      ${text("Show more")}<//>`
    }
    <${Prompt} />
    ${dialog && html`<${MemoForm} memo=${dialog} onClose=${() => setDialog(null)} />`}
    ${id && html`<${MemoForm} key=${id} memo=${{ id }} onClose=${() => goBack(linkTo("memos", "", { tag }))} />`}`;
}

const noMemos = () => text("There are no memos yet. A memo is a short fact that an agent sees in every prompt.");

// MemoActions removes several memos, or gives them a tag. Those that have the tag stay as they are.
function MemoActions({ selection }) {
  const [tag, setTag] = useState("");
  const callOf = (tool, fields) => (memo) => ({
    tool,
    input: { memo_name: memo.id, ...fields(memo) },
    about: () => memo.id,
    space: memo.space,
  });
  const word = tag.trim();
  const addTag = (all) =>
    all.filter((m) => !m.tags.includes(word)).map(callOf("edit_memo", (m) => ({ tags: [...m.tags, word] })));
  const actions = [
    { title: text("Remove"), kind: "danger", calls: (all) => all.map(callOf("remove_memo", () => ({}))) },
  ];
  return html`<${SelectionBar} ...${{ selection, actions }}>${(run) => html`<form class="row" onSubmit=${(e) => {
    e.preventDefault();
    if (word) run(addTag);
  }}><${TextInput} value=${tag} onText=${setTag} aria-label=${text("Tag")} placeholder=${text("Tag")} />
      <${Button} type="submit">${text("Add the tag")}<//></form>`}<//>`;
}

function Tags({ current }) {
  const { result } = useCall("list_memo_tags", {});
  if (!result?.tags.length) return null;
  return html`<nav class="tags" aria-label=${text("Tags")}>
    <a class="tag" href=${linkTo("memos")} aria-current=${current ? undefined : "true"}>${text("All")}</a>
    ${result.tags.map(
      (t) => html` <a class="tag" href=${linkTo("memos", "", { tag: t.tag })}
      aria-current=${t.tag === current ? "true" : undefined}>${t.tag} <span class="soft">${t.count}</span></a>`,
    )}</nav>`;
}

function Memo({ memo, selection, onEdit }) {
  const [act, error, busy] = useAction();
  return html`<li class="card memo"><h3>${
    selection.on && html`<${SelectBox} record=${memo} title=${memo.name} selection=${selection} /> `
  }${memo.name}</h3><p class="content">${memo.content}</p>
    ${memo.has_detail && html`<${Disclosure} summary=${text("Detail")}><${Detail} memo=${memo} /><//>`}
    <p class="soft small">${memo.tags.map(
      (t) => html`<a class="tag" href=${linkTo("memos", "", { tag: t })}>
        ${t}</a> `,
    )}
      ${[memo.space, when(memo.updated_at)].filter(Boolean).join(" · ")}</p>
    <${Problem} error=${error} />
    <div class="row"><${Button} kind="quiet" onClick=${onEdit} aria-label=${text("Edit %s", memo.name)}>
        ${text("Edit")}<//>
      <${Button} kind="quiet danger" busy=${busy} aria-label=${text("Remove %s", memo.name)}
        onClick=${() => act("remove_memo", { memo_name: memo.id, ...spaceOf(memo) }, null, { about: () => memo.id })}>
          ${text("Remove")}<//>
      </div></li>`;
}

function Detail({ memo }) {
  const { result, error } = useCall("get_memo", { memo_name: memo.id, ...spaceOf(memo) });
  return html`<${Problem} error=${error} />${result && html`<${Markdown} source=${result.memo.detail} />`}`;
}

// The exact text that memo_context puts into prompts.
function Prompt() {
  const [use, setUse] = useState("response");
  return html`<${Disclosure} summary=${text("What does an agent see?")}>
    <${Field} label=${text("In the prompt for")}><select value=${use} onChange=${(e) => setUse(e.currentTarget.value)}>
      <option value="response">${text("answers")}</option><option value="judgment">${text("decisions")}</option>
      </select><//>
    <${PromptText} use=${use} /><//>`;
}

function PromptText({ use }) {
  const { result, error } = useCall("memo_context", { for: use });
  return html`<${Problem} error=${error} />
    ${result && html`<pre class="prompt" tabindex="0" aria-label=${text("The prompt")}>${result.prompt}</pre>`}`;
}
