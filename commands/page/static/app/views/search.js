// Search: memos, memories, to-dos and events with some words, each with a link to its record.
import { html, useState } from "../lib.js";
import { Button, Field, Loading, Marked, Problem, repeats, Section, TextInput } from "../parts.js";
import { fromHere, linkTo, place, setQuery, spaceOf } from "../state.js";
import { text } from "../texts.js";
import { dueWords, eventTimes, shortDay, wall, when, zoneTime } from "../time.js";
import { useCall } from "../use.js";
import { isDone } from "./todos.js";

// Each kind of record: the call that finds it, and its parts in the list. What was removed or
// superseded is not found. Memories are last: they are found by what they mean too.
const kinds = () => [
  {
    title: text("Memos"),
    tool: "list_memo",
    field: "memos",
    row: (m) => [linkTo("memos", m.id, { in: m.space, ...fromHere() }), m.name, m.content, [when(m.updated_at), m.space, ...m.tags]],
  },
  {
    title: text("To-dos"),
    tool: "list_todos",
    field: "todos",
    input: { calendar: "all", status: "all" },
    row: (t) => [
      linkTo("todos", t.todo_id, { ...spaceOf(t), ...fromHere() }),
      t.title,
      t.description,
      [isDone(t) && text("done"), t.due && dueWords(t), t.calendar !== "default" && t.calendar, ...t.categories],
    ],
  },
  {
    title: text("Events"),
    tool: "list_events",
    field: "events",
    input: { calendar: "all" },
    row: (e) => [
      linkTo("calendar", e.event_id, { calendar: e.calendar, date: e.start.slice(0, 10), ...fromHere() }),
      e.title,
      e.description,
      [`${shortDay(wall(e.start))} ${eventTimes(e)}`, zoneTime(e), e.location, e.calendar !== "default" && e.calendar],
    ],
  },
  {
    title: text("Memories"),
    tool: "search_memory",
    field: "results",
    row: (m) => [
      linkTo("memories", m.id, { in: m.space, ...fromHere() }),
      m.caption,
      m.snippet,
      [when(m.created_at), m.space, m.session],
    ],
  },
];

export function Search() {
  const { query } = place.use();
  const words = query.get("q") ?? "";
  const found = kinds().map((kind) => useFound(kind, words.trim())); // always the same kinds
  const nothing = found.every(({ result, field }) => result?.[field].length === 0);
  return html`<div class="tools"><${Field} label=${text("Search")} wide=${true}
      note=${text("Memories, memos, to-dos and events")}>
      <${TextInput} type="search" data-start value=${words} onText=${(q) => setQuery({ q })} /><//></div>
    ${words.trim() && found.map((kind) => html`<${Found} key=${kind.tool} ...${kind} words=${words} />`)}
    ${words.trim() && nothing && html`<p class="soft" role="status">${text("Nothing found")}</p>`}`;
}

// useFound returns a kind with what the words find.
function useFound(kind, words) {
  const [limit, setLimit] = useState(10);
  const call = useCall(kind.tool, words ? { ...kind.input, query: words, limit } : null);
  return { ...kind, ...call, more: () => setLimit(Math.min(1000, limit + 40)), limit };
}

function Found({ title, field, row, result, error, loading, limit, more, words }) {
  const all = result?.[field] ?? [];
  if (!all.length) return html`<${Problem} error=${error} />${loading && html`<${Loading} />`}`;
  const wanted = words.split(/\s+/);
  return html`<${Section} title=${title}><${Problem} error=${error} />
    ${result.weak && html`<p class="soft small">${result.message}</p>`}
    <ol class="results">${all.map((record) => {
      const [link, name, body, facts] = row(record);
      return html`<li key=${link}><a href=${link}>
        <span class="title"><${Marked} source=${name || text("(no title)")} words=${wanted} /></span>
        ${
          body &&
          !repeats(body, name) &&
          html`<span class="snippet clamped"><${Marked} source=${body} words=${wanted} /></span>`
        }
        <span class="soft small">${facts.filter(Boolean).join(" · ")}</span></a></li>`;
    })}</ol>
    ${all.length >= limit && limit < 1000 && html`<${Button} onClick=${more}>${text("Show more")}<//>`}<//>`;
}
