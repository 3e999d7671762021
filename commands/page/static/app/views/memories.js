// Memories: search as you type, browse, and open one.
import { html, useState } from "../lib.js";
import { WindowedList } from "../list.js";
import { Button, Disclosure, Empty, Field, Loading, Marked, Problem, TextInput } from "../parts.js";
import { linkTo, place, setQuery } from "../state.js";
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
  const session = query.get("session") ?? "";
  // The link of the page follows the search, so that it can be kept and sent.
  const search = (q) => setQuery({ q, session });
  return html`<div class="tools">
      <${Field} label=${text("Search")} wide=${true}>
        <${TextInput} type="search" value=${words} onText=${search}
          placeholder=${text("a word, a name, a question")} /><//>
      <${Button} kind="main" data-key="n" onClick=${() => setAdding(true)}>${text("New memory")}<//>
    </div>
    ${
      session &&
      html`<p class="filter">${text("Session: %s", session)}
      <a href=${linkTo("memories", "", { q: words })}>${text("Show all")}</a></p>`
    }
    ${!session && !words.trim() && html`<${Sessions} />`}
    ${words.trim() ? html`<${Found} words=${words} session=${session} />` : html`<${All} session=${session} />`}
    <${Preview} />
    ${adding && html`<${MemoryForm} onClose=${() => setAdding(false)} />`}`;
}

// Sessions links the sessions of the newest memories.
function Sessions() {
  const { result } = useCall("list_memory", { limit: 100 });
  const names = [...new Set(result?.memories.map((m) => m.session).filter(Boolean))].slice(0, 12);
  if (!names.length) return null;
  return html`<nav class="tags" aria-label=${text("Sessions")}><span class="soft small">${text("Sessions")}</span>
    ${names.map((s) => html` <a class="tag" href=${linkTo("memories", "", { session: s })}>${s}</a>`)}</nav>`;
}

function Found({ words, session }) {
  const { result, error, loading } = useCall("search_memory", {
    query: words,
    limit: 50,
    ...(session ? { session } : {}),
  });
  if (loading || !result) return html`<${Problem} error=${error} />${loading && html`<${Loading} />`}`;
  return html`<${Problem} error=${error} /><p class="soft small" role="status">${result.message}</p>
    <ol class="results" data-query=${result.query}>${result.results.map(
      (m) => html`<li key=${m.id}><a href=${linkTo("memories", m.id, { in: m.space })}>
      <span class="title"><${Marked} source=${m.caption} words=${m.matched} /></span>
      ${
        !sameText(m.snippet, m.caption) &&
        html`<span class="snippet"><${Marked} source=${m.snippet} words=${m.matched} /></span>`
      }
      <span class="soft small">${[when(m.created_at), m.space, m.session, m.reason].filter(Boolean).join(" · ")}</span>
      </a></li>`,
    )}</ol>
    ${
      result.suggestions.length > 0 &&
      html`<p class="soft">${text("Also try:")} ${result.suggestions.map(
        (s) => html`
      <a class="tag" href=${linkTo("memories", "", { q: s, session })}>${s}</a> `,
      )}</p>`
    }`;
}

// sameText reports whether a snippet only repeats the caption.
const sameText = (snippet, caption) => caption.startsWith(snippet.replaceAll("…", "").trim());

function All({ session }) {
  const { result } = useCall("list_memory", { limit: 1, ...(session ? { session } : {}) });
  return html`<p class="soft small">${result ? plural(result.total, "%d memory", "%d memories") : ""}</p>
    <${WindowedList} tool="list_memory" input=${session ? { session } : {}} field="memories" rowHeight=${60}
      label=${text("Memories")} row=${(m, tabindex) => html`<a href=${linkTo("memories", m.id)} tabindex=${tabindex}>
        <span class="title">${m.caption}</span>
        <span class="soft small">${[when(m.created_at), m.session, m.topic].filter(Boolean).join(" · ")}</span></a>`}
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
