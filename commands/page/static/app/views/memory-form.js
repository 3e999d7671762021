// The dialogs that add, change and supersede a memory.
import { html, useState } from "../lib.js";
import { call } from "../api.js";
import { Button, Dialog, Field, Problem, TextInput } from "../parts.js";
import { goTo, linkTo } from "../state.js";
import { text } from "../texts.js";
import { useAction } from "../use.js";

/** Adds a memory. */
export function MemoryForm({ onClose }) {
  const [draft, setDraft] = useState({ full_text: "", session: "", topic: "" });
  const [act, error, busy] = useAction();
  const save = () =>
    act(
      "add_memory",
      withoutEmpty(draft),
      (result) => {
        onClose();
        goTo(linkTo("memories", result.memory.id));
      },
      { about: (result) => result.created && result.memory.id },
    );
  return html`<${FormDialog} title=${text("New memory")} action=${text("Add")} ...${{ save, error, busy, onClose }}>
    <${Texts} draft=${draft} setDraft=${setDraft} /><//>`;
}

const withoutEmpty = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));

/** Changes a memory. Somebody else's change meanwhile is a conflict, and shows both texts. */
export function MemoryEditor({ memory, onClose }) {
  const [base, setBase] = useState(memory);
  const [draft, setDraft] = useState({
    caption: memory.caption,
    full_text: memory.full_text,
    session: memory.session,
    topic: memory.topic ?? "",
  });
  const [theirs, setTheirs] = useState(null);
  const [act, error, busy, clear] = useAction();
  const changed = () => {
    const before = { caption: base.caption, full_text: base.full_text, session: base.session, topic: base.topic ?? "" };
    return Object.fromEntries(Object.entries(draft).filter(([name, value]) => value !== before[name]));
  };
  const save = () =>
    act("edit_memory", { id: memory.id, expected_etag: base.etag, ...changed() }, onClose, { about: () => memory.id });
  const compare = async () => setTheirs((await call("get_memory", { id: memory.id })).memory);
  const keepMine = () => {
    setBase(theirs); // the next save replaces what is shown as theirs
    setTheirs(null);
    clear();
  };
  return html`<${FormDialog} title=${text("Edit the memory")} action=${text("Save")}
    ...${{ save, error, busy, onClose }}
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
        <${Button} onClick=${onClose}>${text("Keep the other text")}<//></div></div>`
    }
  <//>`;
}

/** Replaces a memory whose fact has changed. */
export function MemorySuperseder({ memory, onClose }) {
  const [full, setFull] = useState("");
  const [act, error, busy] = useAction();
  const save = () =>
    act(
      "supersede_memory",
      { memory_id: memory.id, full_text: full },
      (result) => {
        onClose();
        goTo(linkTo("memories", result.memory.id));
      },
      { about: (result) => result.memory.id },
    );
  return html`<${FormDialog} title=${text("What is true now?")} action=${text("Supersede")}
      ...${{ save, error, busy, onClose }}>
    <p class="soft">${text("The old text stays below the new one, and no list or search shows it any more.")}</p>
    <blockquote>${memory.full_text}</blockquote>
    <${Field} label=${text("The new text")} wide=${true}>
      <${TextInput} multiline=${true} rows="6" value=${full} onText=${setFull} onEnter=${save} /><//><//>`;
}

/** A dialog with a form. Ctrl-Enter saves from a text of several lines. */
export function FormDialog({ title, action, save, error, busy, onClose, help, children }) {
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${(e) => {
      e.preventDefault();
      save();
    }}>${children}
      <${Problem} error=${error}>${help}<//>
      <div class="row end"><${Button} onClick=${onClose}>${text("Cancel")}<//>
        <${Button} kind="main" type="submit" busy=${busy}>${action}<//></div></form><//>`;
}

function Texts({ draft, setDraft }) {
  const set = (name) => (value) => setDraft({ ...draft, [name]: value });
  return html`<${Field} label=${text("Text")} wide=${true}>
      <${TextInput} multiline=${true} rows="8" value=${draft.full_text} onText=${set("full_text")} /><//>
    <div class="pair">
      <${Field} label=${text("Session")}><${TextInput} value=${draft.session} onText=${set("session")} />
      <//>
      <${Field} label=${text("Topic")} note=${text("Another memory with this topic replaces it.")}>
        <${TextInput} value=${draft.topic} onText=${set("topic")} /><//></div>`;
}
