// The dialog that adds or changes a memo.
import { html, useState } from "../lib.js";
import { call } from "../api.js";
import { Button, Dialog, Field, Problem, TextInput } from "../parts.js";
import { spaceOf } from "../state.js";
import { text } from "../texts.js";
import { useAction, useCall, useDraft } from "../use.js";
import { FormDialog } from "./memory-form.js";

const fieldsOf = (memo) => ({
  name: memo.name ?? "",
  content: memo.content ?? "",
  priority: memo.priority ?? 3,
  tags: (memo.tags ?? []).join(", "),
  detail: memo.detail ?? "",
});

/** Adds a memo, or changes one: the dialog waits for its detail and its etag. */
export function MemoForm({ memo, onClose }) {
  const [id] = useState(memo.id);
  const { result, error } = useCall("get_memo", id ? { memo_name: id, ...spaceOf(memo) } : null);
  if (!id) return html`<${Form} memo=${{}} onClose=${onClose} />`;
  if (error && !result) {
    return html`<${Dialog} title=${text("Edit the memo")} onClose=${onClose}><${Problem} error=${error} /><//>`;
  }
  return result && html`<${Form} memo=${result.memo} onClose=${onClose} />`;
}

function Form({ memo, onClose }) {
  const [base, setBase] = useState(memo); // later changes of the memo are conflicts
  const kept = useDraft(`memo ${memo.id ?? ""}`, fieldsOf(memo));
  const { fields: draft, change: setDraft } = kept;
  const [act, error, busy, clear] = useAction();
  const set = (name) => (value) => setDraft({ ...draft, [name]: value });
  const tags = draft.tags
    .split(/[,、，]/)
    .map((t) => t.trim())
    .filter(Boolean);
  const save = () => {
    const about = { about: (result) => result.memo.id };
    const saved = () => {
      kept.drop();
      onClose();
    };
    if (!base.id) {
      act("add_memo", { ...draft, tags }, saved, about);
      return;
    }
    const before = fieldsOf(base);
    const changed = Object.fromEntries(Object.entries(draft).filter(([name, value]) => value !== before[name]));
    if ("tags" in changed) changed.tags = tags;
    if ("name" in changed) {
      changed.new_name = changed.name;
      delete changed.name;
    }
    act("edit_memo", { memo_name: base.id, ...spaceOf(base), expected_etag: base.etag, ...changed }, saved, about);
  };
  const reload = async () => {
    const { memo: latest } = await call("get_memo", { memo_name: base.id, ...spaceOf(base) });
    setBase(latest);
    kept.reset(fieldsOf(latest));
    clear();
  };
  return html`<${FormDialog} title=${base.id ? text("Edit the memo") : text("New memo")}
      action=${base.id ? text("Save") : text("Add")} ...${{ save, error, busy, onClose, draft: kept }}
      help=${
        error?.code === "conflict" && base.id && html`<${Button} onClick=${reload}>${text("Load the saved memo")}<//>`
      }>
    <div class="pair"><${Field} label=${text("Name")}><${TextInput} required value=${draft.name} onText=${set("name")} /><//>
      <${Field} label=${text("Priority")}><select value=${draft.priority}
        onChange=${(e) => set("priority")(Number(e.currentTarget.value))}>
        ${[5, 4, 3, 2, 1].map((n) => html`<option value=${n} selected=${n === draft.priority}>${n}</option>`)}
          </select><//></div>
    <${Field} label=${text("Content")} wide=${true}>
      <${TextInput} multiline=${true} rows="3" required value=${draft.content} onText=${set("content")} /><//>
    <${Field} label=${text("Tags")} wide=${true} note=${text("At most 3, separated by commas")}>
      <${TextInput} value=${draft.tags} onText=${set("tags")} /><//>
    <${Field} label=${text("Detail")} wide=${true}>
      <${TextInput} multiline=${true} rows="6" value=${draft.detail} onText=${set("detail")} />
    <//><//>`;
}
