// Changes: who changed what, with differences, and the way back.
import { html, useEffect, useState } from "../lib.js";
import { call } from "../api.js";
import { Button, Disclosure, Empty, Field, Loading, Problem } from "../parts.js";
import { goTo, linkTo, place, storeVersion } from "../state.js";
import { text } from "../texts.js";
import { when } from "../time.js";
import { useAction, useCall } from "../use.js";

const families = () => ({
  "": text("Everything"),
  memo: text("Memos"),
  memory: text("Memories"),
  calendar: text("Calendar"),
  files: text("Files"),
  ask: text("Questions"),
});

export function Changes() {
  const { query } = place.use();
  const family = query.get("family") ?? "";
  const { changes, more, error, loading, loadMore } = useHistory(family);
  return html`<div class="tools"><${Field} label=${text("Show")}>
      <select value=${family} onChange=${(e) => goTo(linkTo("changes", "", { family: e.currentTarget.value }))}>
        ${Object.entries(families()).map(
          ([name, title]) => html`<option value=${name} selected=${name === family}>
          ${title}</option>`,
        )}</select><//></div>
    <${Problem} error=${error} />
    ${loading && html`<${Loading} />`}
    ${
      !loading &&
      !error &&
      (changes.length
        ? html`<${ChangeList} changes=${changes} />`
        : html`<${Empty} message=${text("There are no changes.")} command="techo history" />`)
    }
    ${more && html`<${Button} onClick=${loadMore}>${text("Show more")}<//>`}`;
}

// useHistory returns the changes of a family. A change of the store reads the first page
// again; further pages are read on demand.
function useHistory(family) {
  const [state, setState] = useState({ changes: [], cursor: "", error: null, loading: true });
  const version = storeVersion.use();
  const read = (cursor) =>
    call("list_history", { limit: 50, ...(family ? { family } : {}), ...(cursor ? { cursor } : {}) });
  useEffect(() => {
    let current = true;
    read("").then(
      (r) => current && setState({ changes: r.changes, cursor: r.next_cursor, error: null, loading: false }),
      (error) => current && setState({ changes: [], cursor: "", error, loading: false }),
    );
    return () => {
      current = false;
    };
  }, [family, version]);
  const loadMore = async () => {
    try {
      const r = await read(state.cursor);
      setState({ ...state, changes: [...state.changes, ...r.changes], cursor: r.next_cursor });
    } catch (error) {
      setState({ ...state, error });
    }
  };
  return { ...state, more: state.cursor !== "", loadMore };
}

// The words for the tools that change something.
const verbs = () => ({
  add_memo: text("added the memo"),
  edit_memo: text("changed the memo"),
  remove_memo: text("removed the memo"),
  rename_memo_tag: text("renamed the tag"),
  add_memory: text("added the memory"),
  edit_memory: text("changed the memory"),
  remove_memory: text("removed the memory"),
  supersede_memory: text("superseded the memory"),
  create_event: text("created the event"),
  update_event: text("changed the event"),
  delete_event: text("deleted the event"),
  confirm_event: text("confirmed the time of"),
  "cal hold": text("held times for"),
  "cal confirm": text("confirmed the time of"),
  edit_file: text("edited the file"),
  write_file: text("wrote the file"),
  insert_text: text("edited the file"),
  apply_patch: text("patched the file"),
  move_file: text("moved the file"),
  remove_file: text("removed the file"),
  ask_user: text("asked"),
  answer_question: text("answered"),
  undo_change: text("undid a change of"),
});

/** A list of changes. Each opens to its differences and can be undone. */
export function ChangeList({ changes }) {
  return html`<ul class="plain changes">${changes.map((c) => html`<${Change} key=${c.id} change=${c} />`)}</ul>`;
}

function Change({ change }) {
  const [act, error, busy] = useAction();
  const who = [change.by, change.client !== "command" && change.client].filter(Boolean).join(", ");
  const summary = html`<span class="time">${when(change.at)}</span>
    <span class="what"><b>${who}</b> ${verbs()[change.tool] ?? change.tool} <q>${change.title || change.about}</q>
      ${change.undone && html` <span class="tag">${text("undone")}</span>`}</span>`;
  return html`<li class=${change.undone ? "change undone" : "change"}>
    <${Disclosure} summary=${summary}><${Difference} id=${change.id} />
      <${Problem} error=${error} />
      ${
        !change.undone &&
        html`<${Button} busy=${busy} onClick=${() => act("undo_change", { id: change.id })}>
        ${text("Undo this change")}<//>`
      }
      <p class="soft small">${change.id} · ${change.tool} · ${change.about}</p><//></li>`;
}

function Difference({ id }) {
  const { result, error, loading } = useCall("show_change", { id });
  if (loading) return html`<${Loading} />`;
  if (error) return html`<${Problem} error=${error} />`;
  return html`<pre class="diff" tabindex="0" aria-label=${text("Differences")}>${result.diff.split("\n").map((line) => {
    const kind = { "+": "added", "-": "removed", "@": "place" }[line[0]] ?? "";
    return html`<span class=${kind}>${line}\n</span>`;
  })}</pre>`;
}
