// The dialogs of one to-do: what it is, and the form that adds or changes one.
import { html, useState } from "../lib.js";
import { Markdown } from "../markdown.js";
import { Button, Dialog, Facts, Field, Loading, Problem, TextInput } from "../parts.js";
import { keepRepeat, RepeatField, repeatFields, repeatWords } from "../repeat.js";
import { text } from "../texts.js";
import { dueWords, when } from "../time.js";
import { useAction, useCall, useDraft } from "../use.js";
import { FormDialog } from "./memory-form.js";
import { isDone, listed, Priority, priorities } from "./todos.js";

/** Shows a to-do with its actions. space is its shared space, or "". */
export function TodoDialog({ id, space, onClose }) {
  const place = space ? { space } : {};
  const { result, error, loading } = useCall("get_todo", { todo_id: id, ...place });
  const [editing, setEditing] = useState(null);
  if (editing) return html`<${TodoForm} known=${editing} place=${place} onClose=${onClose} />`;
  return html`<${Dialog} title=${result?.todo.title || (loading ? "…" : text("(no title)"))} onClose=${onClose}>
    ${loading && html`<${Loading} />`}<${Problem} error=${error} />
    ${
      result &&
      html`<${Details} todo=${result.todo} place=${place} onEdit=${() => setEditing(result.todo)} onClose=${onClose} />`
    }<//>`;
}

function Details({ todo, place, onEdit, onClose }) {
  const [act, error, busy] = useAction();
  const target = { todo_id: todo.todo_id, ...place };
  const about = { about: (result) => result.todo?.todo_id ?? todo.todo_id };
  const done = isDone(todo);
  return html`<${Facts} facts=${[
    [text("Due"), todo.due && dueWords(todo)],
    [text("Priority"), todo.priority > 0 && html`<${Priority} value=${todo.priority} />`],
    [text("Repeats"), repeatWords(todo.recurrence)],
    [text("Done"), todo.completed_at && when(todo.completed_at)],
    [text("Alarms"), todo.alarms.join(", ")],
    [text("Where"), todo.location],
    [text("Labels"), todo.categories.join(", ")],
    [text("Calendar"), todo.calendar],
    [text("Address"), todo.url],
  ]} />
    ${todo.description && html`<${Markdown} source=${todo.description} />`}
    <${Problem} error=${error} />
    <div class="row">${
      done
        ? html`<${Button} busy=${busy} onClick=${() =>
            act("edit_todo", { ...target, status: "needs-action" }, onClose, about)}>${text("Open again")}<//>`
        : html`<${Button} kind="main" busy=${busy} onClick=${() => act("complete_todo", target, onClose, about)}>
            ${text("Mark as done")}<//>`
    }
      <${Button} onClick=${onEdit}>${text("Edit")}<//>
      <${Button} kind="danger" busy=${busy} onClick=${() => act("remove_todo", target, onClose, about)}>
        ${text("Remove")}<//></div>`;
}

const fieldsOf = (todo) => ({
  title: todo.title ?? "",
  due: todo.due ? (todo.all_day ? todo.due : todo.due.slice(0, 16).replace("T", " ")) : "",
  priority: todo.priority ?? 0,
  description: todo.description ?? "",
  location: todo.location ?? "",
  categories: (todo.categories ?? []).join(", "),
  alarms: (todo.alarms ?? []).join(", "),
});

/** Adds a to-do, or changes the known one. */
export function TodoForm({ known = {}, place = {}, onClose }) {
  const rules = known.recurrence ?? [];
  const kept = useDraft(`to-do ${known.todo_id ?? ""}`, {
    ...fieldsOf(known),
    repeat: rules.length ? keepRepeat : "",
    calendar: "",
  });
  const { repeat, calendar, ...draft } = kept.fields;
  const [act, error, busy] = useAction();
  const { result } = useCall("list_calendars", known.todo_id ? null : {});
  const calendars = (result?.calendars ?? []).filter((c) => !c.read_only);
  const set = (name) => (value) => kept.change({ ...kept.fields, [name]: value });
  const saved = () => {
    kept.drop();
    onClose();
  };
  const save = () => {
    const before = known.todo_id ? fieldsOf(known) : fieldsOf({});
    const changed = Object.fromEntries(Object.entries(draft).filter(([name, value]) => value !== before[name]));
    for (const name of ["categories", "alarms"]) if (name in changed) changed[name] = listed(changed[name]);
    const about = { about: (r) => r.todo.todo_id };
    const fields = { ...place, ...changed, ...repeatFields(repeat, rules) };
    if (known.todo_id) {
      act("edit_todo", { todo_id: known.todo_id, expected_etag: known.etag, ...fields }, saved, about);
    } else act("add_todo", { title: "", ...fields, ...(calendar ? { calendar } : {}) }, saved, about);
  };
  return html`<${FormDialog} title=${known.todo_id ? text("Edit the to-do") : text("New to-do")}
      action=${known.todo_id ? text("Save") : text("Add")} ...${{ save, error, busy, onClose, draft: kept }}>
    <${Field} label=${text("What is to be done")} wide=${true}>
      <${TextInput} required value=${draft.title} onText=${set("title")} /><//>
    <div class="pair"><${Field} label=${text("Due")} note=${text("A day or a time, as in: tomorrow 17:00")}>
        <${TextInput} value=${draft.due} onText=${set("due")} /><//>
      <${Field} label=${text("Priority")}><select onChange=${(e) => set("priority")(Number(e.currentTarget.value))}>
        ${priorities().map(
          ([value, words]) => html`<option value=${value} selected=${near(draft.priority) === value}>${words}</option>`,
        )}</select><//>
      <${RepeatField} value=${repeat} onText=${set("repeat")} rules=${rules} />
      <${Field} label=${text("Alarms")} note=${text("Before it, as in: 10m, 1d")}>
        <${TextInput} value=${draft.alarms} onText=${set("alarms")} /><//>
      <${Field} label=${text("Where")}><${TextInput} value=${draft.location} onText=${set("location")} /><//>
      <${Field} label=${text("Labels")} note=${text("Separated by commas")}>
        <${TextInput} value=${draft.categories} onText=${set("categories")} /><//>
      ${
        calendars.length > 1 &&
        html`<${Field} label=${text("Calendar")}><select onChange=${(e) => set("calendar")(e.currentTarget.value)}>
        ${calendars.map((c) => html`<option value=${c.name} selected=${calendar ? c.name === calendar : c.default}>${c.name}</option>`)}</select><//>`
      }</div>
    <${Field} label=${text("Description")} wide=${true}>
      <${TextInput} multiline=${true} rows="4" value=${draft.description} onText=${set("description")} /><//><//>`;
}

// near returns the choice for a priority.
const near = (priority) => (priority ? priority - ((priority + 1) % 2) : 0);
