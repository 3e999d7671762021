// To-dos: what is to be done, by the time that it is due.
import { html, useState } from "../lib.js";
import { Button, Empty, Field, Loading, Problem, Section, TextInput } from "../parts.js";
import { repeatWords } from "../repeat.js";
import { SelectBox, SelectButton, SelectionBar, useSelection } from "../select.js";
import { fromHere, goBack, goTo, linkTo, place, spaceOf } from "../state.js";
import { text } from "../texts.js";
import { addDays, dueWords, isoDate, now } from "../time.js";
import { useAction, useCall } from "../use.js";
import { TodoDialog, TodoForm } from "./todo.js";

export function Todos() {
  const { id, query } = place.use();
  const status = query.get("status") ?? "open";
  const [words, setWords] = useState("");
  const [shown, setShown] = useState(250);
  const [adding, setAdding] = useState(false);
  const selection = useSelection((todo) => todo.todo_id);
  const kept = { status: status === "open" ? "" : status };
  const input = { calendar: "all", status, limit: shown, ...(words.trim() ? { query: words } : {}) };
  const { result, error, loading } = useCall("list_todos", input);
  return html`<div class="tools">
      <${Field} label=${text("Search")} wide=${true}><${TextInput} type="search" value=${words} onText=${setWords} />
      <//>
      <${Field} label=${text("Show")}><select
        onChange=${(e) => goTo(linkTo("todos", "", { status: e.currentTarget.value }))}>
        ${Object.entries(statuses()).map(
          ([name, title]) => html`<option value=${name} selected=${name === status}>${title}</option>`,
        )}</select><//>
      <${SelectButton} selection=${selection} />
      <${Button} kind="main" data-key="n" onClick=${() => setAdding(true)}>${text("New to-do")}<//></div>
    <${SelectionBar} selection=${selection} actions=${actions()} />
    <${Problem} error=${error} />
    ${loading && html`<${Loading} />`}
    ${result && html`<${Groups} todos=${result.todos} searched=${words.trim() !== ""} ...${{ kept, selection }} />`}
    ${
      result &&
      result.total > result.todos.length &&
      html`<${Button} onClick=${() => setShown(Math.min(1000, shown + 250))}>${text("Show more")}<//>`
    }
    ${id && html`<${TodoDialog} key=${id} id=${id} space=${query.get("space") ?? ""}
      onClose=${() => goBack(linkTo("todos", "", kept))} />`}
    ${adding && html`<${TodoForm} onClose=${() => setAdding(false)} />`}`;
}

// The actions for several to-dos. An action leaves out those that it would not change.
const actions = () => [
  { title: text("Mark as done"), calls: (all) => all.filter((t) => !isDone(t)).map(callOf("complete_todo")) },
  { title: text("Remove"), kind: "danger", calls: (all) => all.map(callOf("remove_todo")) },
];

const callOf = (tool) => (todo) => ({
  tool,
  input: { todo_id: todo.todo_id },
  about: () => todo.todo_id,
  space: todo.space,
});

const statuses = () => ({ open: text("Open"), done: text("Done"), all: text("Everything") });

// Groups shows to-dos below headings for the time that they are due.
function Groups({ todos, kept, searched, selection }) {
  if (!todos.length) {
    if (searched || kept.status) return html`<p class="soft" role="status">${text("Nothing found")}</p>`;
    return html`<${Empty} message=${text("Nothing is to be done.")}
      command='techo todo add "Pay rent" --due friday' />`;
  }
  const groups = Map.groupBy(todos, groupOf);
  return Object.entries(headings())
    .filter(([name]) => groups.has(name))
    .map(
      ([name, title]) => html`<${Section} key=${name} title=${title}>
        <${TodoList} todos=${groups.get(name)} ...${{ kept, selection }} /><//>`,
    );
}

const headings = () => ({
  overdue: text("Overdue"),
  today: text("Today"),
  week: text("In the next days"),
  later: text("Later"),
  never: text("Without a date"),
  done: text("Done"),
});

function groupOf(todo) {
  if (isDone(todo)) return "done";
  if (todo.overdue) return "overdue";
  if (!todo.due) return "never";
  const day = todo.due.slice(0, 10);
  if (day <= isoDate(now())) return "today";
  return day <= isoDate(addDays(now(), 7)) ? "week" : "later";
}

/** Reports whether nothing is left to do. */
export const isDone = (todo) => todo.status === "completed" || todo.status === "cancelled";

/** A list of to-dos. A box marks each as done, or selects it; its title opens it. */
export function TodoList({ todos, kept = fromHere(), selection }) {
  return html`<ul class="plain todos">${todos.map(
    (todo) => html`<${Item} key=${todo.todo_id} todo=${todo} ...${{ kept, selection }} />`,
  )}</ul>`;
}

function Item({ todo, kept, selection }) {
  const [act, error, busy] = useAction();
  const done = isDone(todo);
  const space = spaceOf(todo);
  const title = todo.title || text("(no title)");
  const toggle = () => {
    const about = { about: (result) => result.todo.todo_id };
    const target = { todo_id: todo.todo_id, ...space };
    if (done) act("edit_todo", { ...target, status: "needs-action" }, null, about);
    else act("complete_todo", target, null, about);
  };
  const facts = [
    todo.due && dueWords(todo),
    todo.recurrence.length > 0 && repeatWords(todo.recurrence),
    todo.calendar !== "default" && todo.calendar,
    todo.status === "cancelled" && text("cancelled"),
    ...todo.categories,
  ].filter(Boolean);
  return html`<li class=${`todo${done ? " done" : ""}${todo.overdue ? " overdue" : ""}`}>
    ${
      selection?.on
        ? html`<${SelectBox} record=${todo} ...${{ selection, title }} />`
        : html`<input type="checkbox" checked=${done} aria-disabled=${busy ? "true" : undefined} onChange=${toggle}
      aria-label=${done ? text("Open again: %s", title) : text("Done: %s", title)} />`
    }
    <a href=${linkTo("todos", todo.todo_id, { ...kept, ...space })}><span class="title">${title}</span>
      ${" "}<${Priority} value=${todo.priority} />
      ${facts.length > 0 && html`<span class="soft small facts-line">${facts.join(" · ")}</span>`}</a>
    <${Problem} error=${error} /></li>`;
}

// The importance of a to-do as that of a memo: five dots are the most. iCalendar counts from 1, the
// highest, to 9.
const dotsOf = (priority) => 5 - Math.floor((priority - 1) / 2);

/** Shows the importance of a to-do, which most do not have. */
export function Priority({ value }) {
  if (!value) return null;
  const dots = dotsOf(value);
  return html`<span class="dots" role="img" aria-label=${text("Priority %d", dots)}>
    ${"●".repeat(dots) + "○".repeat(5 - dots)}</span>`;
}

/** The choices of importance: what is stored, and its words. */
export const priorities = () => [
  [0, text("None")],
  ...[1, 3, 5, 7, 9].map((value) => [value, "●".repeat(dotsOf(value)) + "○".repeat(5 - dotsOf(value))]),
];

/** Returns the words of a field that are separated by commas. */
export const listed = (words) =>
  words
    .split(/[,、，]/)
    .map((word) => word.trim())
    .filter(Boolean);
