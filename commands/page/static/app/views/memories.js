// Memories: search as you type, browse, and open one.
import { html, useState } from "../lib.js";
import { WindowedList } from "../list.js";
import { Button, Disclosure, Empty, Field, Loading, Marked, Problem, repeats, TextInput } from "../parts.js";
import { SelectButton, SelectionBar, useSelection } from "../select.js";
import { fromHere, linkTo, place, setQuery } from "../state.js";
import { plural, text } from "../texts.js";
import { when } from "../time.js";
import { useCall } from "../use.js";
import { MemoryView } from "./memory.js";
import { MemoryForm } from "./memory-form.js";

export function Memories() {
  const { id } = place.use();
  return id ? html`<${MemoryView} key=${id} id=${id} />` : html`<${Browse} />`;
}

function Browse() {
  const { query } = place.use();
  const words = query.get("q") ?? "";
  const [adding, setAdding] = useState(false);
  const selection = useSelection((m) => m.id);
  const session = query.get("session") ?? "";
  // The link of the page follows the search, so that it can be kept and sent.
  const search = (q) => setQuery({ q, session });
  return html`<div class="tools">
      <${Field} label=${text("Search")} wide=${true}>
        <${TextInput} type="search" value=${words} onText=${search}
          placeholder=${text("a word, a name, a question")} /><//>
      <${SelectButton} selection=${selection} />
      <${Button} kind="main" data-key="n" onClick=${() => setAdding(true)}>${text("New memory")}<//>
    </div>
    <${SelectionBar} selection=${selection} actions=${actions()} />
    ${
      session &&
      html`<p class="filter">${text("Session: %s", session)}
      <a href=${linkTo("memories", "", { q: words })}>${text("Show all")}</a></p>`
    }
    ${!session && !words.trim() && html`<${Sessions} />`}
    ${
      words.trim()
        ? html`<${Found} words=${words} ...${{ session, selection }} />`
        : html`<${All} ...${{ session, selection }} />`
    }
    <${Preview} />
    ${adding && html`<${MemoryForm} onClose=${() => setAdding(false)} />`}`;
}

// A title has two lines on a phone.
const narrow = () => window.matchMedia("(max-width: 46rem)").matches;

// The actions for several memories: one call for those of a space, so that one undo takes all back.
const actions = () => [
  { title: text("Still true"), calls: callsOf("confirm_memory") },
  { title: text("Remove"), kind: "danger", calls: callsOf("remove_memory") },
];

const callsOf = (tool) => (all) =>
  [...Map.groupBy(all, (m) => m.space)].map(([space, some]) => ({
    tool,
    input: { ids: some.map((m) => m.id) },
    about: (result) => (result.removed ?? result.confirmed)[0],
    space,
  }));

// A link to a memory, or a box that selects it.
function MemoryLink({ memory, selection, children, ...rest }) {
  const toggle = (event) => {
    event.preventDefault();
    selection.toggle(memory);
  };
  const box = selection.on && {
    role: "checkbox",
    "aria-checked": String(selection.has(memory)),
    onClick: toggle,
    onKeyDown: (event) => event.key === " " && toggle(event),
  };
  return html`<a href=${linkTo("memories", memory.id, { in: memory.space, ...fromHere() })} ...${rest} ...${box}>${children}</a>`;
}

// Sessions links the sessions of the newest memories.
function Sessions() {
  const { result } = useCall("list_memory", { limit: 100 });
  const names = [...new Set(result?.memories.map((m) => m.session).filter(Boolean))].slice(0, 12);
  if (!names.length) return null;
  return html`<nav class="tags" aria-label=${text("Sessions")}><span class="soft small">${text("Sessions")}</span>
    ${names.map((s) => html` <a class="tag" href=${linkTo("memories", "", { session: s })}>${s}</a>`)}</nav>`;
}

function Found({ words, session, selection }) {
  const { result, error, loading } = useCall("search_memory", {
    query: words,
    limit: 50,
    ...(session ? { session } : {}),
  });
  if (loading || !result) return html`<${Problem} error=${error} />${loading && html`<${Loading} />`}`;
  return html`<${Problem} error=${error} /><p class="soft small" role="status">${result.message}</p>
    <ol class="results" data-query=${result.query}>${result.results.map(
      (m) => html`<li key=${m.id}><${MemoryLink} memory=${m} selection=${selection}>
      <span class="title"><${Marked} source=${m.caption} words=${m.matched} /></span>
      ${
        !repeats(m.snippet, m.caption) &&
        html`<span class="snippet"><${Marked} source=${m.snippet} words=${m.matched} /></span>`
      }
      <span class="soft small">${[when(m.created_at), m.superseded_by && text("superseded"), m.space, m.session, m.reason].filter(Boolean).join(" · ")}</span>
      <//></li>`,
    )}</ol>
    ${
      result.suggestions.length > 0 &&
      html`<p class="soft">${text("Also try:")} ${result.suggestions.map(
        (s) => html`
      <a class="tag" href=${linkTo("memories", "", { q: s, session })}>${s}</a> `,
      )}</p>`
    }`;
}

function All({ session, selection }) {
  const { result } = useCall("list_memory", { limit: 1, ...(session ? { session } : {}) });
  return html`<p class="soft small">${result ? plural(result.total, "%d memory", "%d memories") : ""}</p>
    <${WindowedList} tool="list_memory" input=${session ? { session } : {}} field="memories"
      rowHeight=${narrow() ? 86 : 60}
      label=${text("Memories")} row=${(m, tabindex) => html`<${MemoryLink} memory=${m} ...${{ selection, tabindex }}>
        <span class="title">${m.caption}</span>
        <span class="soft small">${[when(m.created_at), m.session, m.topic].filter(Boolean).join(" · ")}</span><//>`}
      empty=${html`<${Empty} message=${text("There are no memories yet. An agent adds what it learns, and so can you.")}
        command='techo memory add "Tanaka has a golden retriever named Max."' />`} />`;
}

// What an agent would get for a message: the references and the whole prompt.
function Preview() {
  return html`<${Disclosure} summary=${text("What would an agent be reminded of?")}><${PreviewForm} /><//>`;
}

function PreviewForm() {
  const [message, setMessage] = useState("");
  const { result, error } = useCall("memory_context", message.trim() ? { message } : null);
  return html`<${Field} label=${text("A message to the agent")} wide=${true}>
      <${TextInput} value=${message} onText=${setMessage} /><//>
    <${Problem} error=${error} />
    ${
      message.trim() &&
      result &&
      html`<p class="soft small" role="status">${
        result.references.length
          ? text("The agent would be shown: %s", plural(result.references.length, "%d memory", "%d memories"))
          : text("No memory would be shown to the agent: none concerns this message enough.")
      }</p>
      <ul class="plain">
        ${result.references.map((m) => html`<li>
          <a href=${linkTo("memories", m.id, { in: m.space })}>${m.caption}</a></li>`)}
      </ul>
      ${
        result.references.length > 0 &&
        html`<pre class="prompt" tabindex="0"
        aria-label=${text("The prompt")}>${result.prompt}</pre>`
      }`
    }`;
}
