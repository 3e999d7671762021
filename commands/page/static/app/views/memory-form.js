// The dialogs that add, change and supersede a memory.
import { html, useState } from "../lib.js";
import { call } from "../api.js";
import { Button, Dialog, Field, Problem, TextInput } from "../parts.js";
import { goTo, linkTo } from "../state.js";
import { text } from "../texts.js";
import { useAction, useDraft } from "../use.js";

/** Adds a memory. */
export function MemoryForm({ onClose }) {
  const draft = useDraft("new memory", { full_text: "", session: "", topic: "" });
  const [act, error, busy] = useAction();
  const save = () =>
    act(
      "add_memory",
      withoutEmpty(draft.fields),
      (result) => {
        draft.drop();
        onClose();
        goTo(linkTo("memories", result.memory.id));
      },
      { about: (result) => result.created && result.memory.id, message: keptMessage },
    );
  return html`<${FormDialog} title=${text("New memory")} action=${text("Add")}
    ...${{ save, error, busy, onClose, draft }}><${Texts} draft=${draft.fields} setDraft=${draft.change} /><//>`;
}

// keptMessage shows what is about the same matter as a new text: only a person knows which is true.
const keptMessage = ({ memory, related, message }) =>
  related.length
    ? html`${text("Memory kept. About the same matter:")}
      ${related.map((m) => html`<${Earlier} earlier=${m} memory=${memory} />`)}`
    : message;

// Earlier is a link to an earlier memory, with a button that supersedes it by a new one.
function Earlier({ earlier, memory }) {
  const [act, error, busy] = useAction();
  const supersede = () =>
    act("supersede_memory", { memory_id: earlier.id, full_text: memory.full_text }, undefined, {
      about: (result) => result.memory.id,
      message: keptMessage,
    });
  return html`<span class="row"><a href=${linkTo("memories", earlier.id)}>${earlier.caption}</a>
    <${Button} busy=${busy} onClick=${supersede}>${text("No longer true")}<//><${Problem} error=${error} /></span>`;
}

const withoutEmpty = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));

/** Changes a memory. Somebody else's change meanwhile is a conflict, and shows both texts. */
export function MemoryEditor({ memory, onClose }) {
  const [base, setBase] = useState(memory);
  const kept = useDraft(`memory ${memory.id}`, editable(memory));
  const { fields: draft, change: setDraft } = kept;
  const [theirs, setTheirs] = useState(null);
  const [act, error, busy, clear] = useAction();
  const changed = () => {
    const before = editable(base);
    return Object.fromEntries(Object.entries(draft).filter(([name, value]) => value !== before[name]));
  };
  const saved = () => {
    kept.drop();
    onClose();
  };
  const save = () =>
    act("edit_memory", { id: memory.id, expected_etag: base.etag, ...changed() }, saved, {
      about: () => memory.id,
      message: keptMessage,
    });
  const compare = async () => setTheirs((await call("get_memory", { id: memory.id })).memory);
  const keepMine = () => {
    setBase(theirs); // the next save replaces what is shown as theirs
    setTheirs(null);
    clear();
  };
  return html`<${FormDialog} title=${text("Edit the memory")} action=${text("Save")}
    ...${{ save, error, busy, onClose, draft: kept }}
    help=${
      error?.code === "conflict" && !theirs && html`<${Button} onClick=${compare}>${text("Show the other text")}<//>`
    }>
    <${Field} label=${text("Caption")} wide=${true}>
      <${TextInput} value=${draft.caption} onText=${(caption) => setDraft({ ...draft, caption })} /><//>
    <${Texts} draft=${draft} setDraft=${setDraft} />
    ${
      theirs &&
      html`<div class="theirs"><h3>${text("The text that was saved meanwhile")}</h3>
      <p class="caption">${theirs.caption}</p><pre tabindex="0">${theirs.full_text}</pre>
      <div class="row"><${Button} onClick=${keepMine}>${text("Keep my text")}<//>
        <${Button} onClick=${saved}>${text("Keep the other text")}<//></div></div>`
    }
  <//>`;
}

// editable returns the fields of a memory that the form changes.
const editable = ({ caption, full_text, session, topic = "" }) => ({ caption, full_text, session, topic });

/** Replaces a memory whose fact has changed. */
export function MemorySuperseder({ memory, onClose }) {
  const draft = useDraft(`supersede ${memory.id}`, { full_text: "" });
  const [act, error, busy] = useAction();
  const save = () =>
    act(
      "supersede_memory",
      { memory_id: memory.id, full_text: draft.fields.full_text },
      (result) => {
        draft.drop();
        onClose();
        goTo(linkTo("memories", result.memory.id));
      },
      { about: (result) => result.memory.id, message: keptMessage },
    );
  return html`<${FormDialog} title=${text("What is true now?")} action=${text("Supersede")}
      ...${{ save, error, busy, onClose, draft }}>
    <p class="soft">${text("The old text stays below the new one, and no list or search shows it any more.")}</p>
    <blockquote>${memory.full_text}</blockquote>
    <${Field} label=${text("The new text")} wide=${true}>
      <${TextInput} multiline=${true} rows="6" value=${draft.fields.full_text}
        onText=${(full_text) => draft.change({ full_text })} /><//><//>`;
}

/**
 * A dialog with a form. draft is what useDraft returned: an earlier one can be thrown away.
 */
export function FormDialog({ title, action, save, error, busy, onClose, help, draft, children }) {
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${(e) => {
      e.preventDefault();
      save();
    }}>${
      draft?.kept &&
      html`<p class="row hint" role="status">${text("This is what you typed before.")}
      <${Button} kind="quiet" onClick=${() => draft.reset()}>${text("Throw it away")}<//></p>`
    }${children}
      <${Problem} error=${error}>${help}<//>
      <div class="row end"><${Button} onClick=${onClose}>${text("Cancel")}<//>
        <${Button} kind="main" type="submit" busy=${busy}>${action}<//></div></form><//>`;
}

function Texts({ draft, setDraft }) {
  const set = (name) => (value) => setDraft({ ...draft, [name]: value });
  return html`<${Field} label=${text("Text")} wide=${true}>
      <${TextInput} multiline=${true} rows="8" required value=${draft.full_text} onText=${set("full_text")} /><//>
    <div class="pair">
      <${Field} label=${text("Session")}><${TextInput} value=${draft.session} onText=${set("session")} />
      <//>
      <${Field} label=${text("Topic")} note=${text("Another memory with this topic replaces it.")}>
        <${TextInput} value=${draft.topic} onText=${set("topic")} /><//></div>`;
}
