// Changes: who changed what, with differences, and the way back.
import { html, useEffect, useState } from "../lib.js";
import { call } from "../api.js";
import { Button, Disclosure, Empty, Field, Loading, Problem } from "../parts.js";
import { Lines } from "../shown.js";
import { fromHere, goTo, linkTo, place, storeVersion } from "../state.js";
import { text } from "../texts.js";
import { when } from "../time.js";
import { useAction, useCall } from "../use.js";
import { actionWords } from "../words.js";

const families = () => ({
  "": text("Everything"),
  memo: text("Memos"),
  memory: text("Memories"),
  calendar: text("Calendar"),
  files: text("Files"),
  ask: text("Questions"),
  space: text("Spaces"),
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

/** A list of changes. Each opens to its differences and can be undone. */
export function ChangeList({ changes }) {
  return html`<ul class="plain changes">${changes.map((c) => html`<${Change} key=${c.id} change=${c} />`)}</ul>`;
}

function Change({ change }) {
  const [act, error, busy] = useAction();
  const who = [change.by, change.client !== "command" && change.client].filter(Boolean).join(", ");
  const link = recordLink(change);
  const summary = html`<span class="time">${when(change.at)}</span>
    <span class="what"><b>${who}</b> ${actionWords(change.tool)} <q>${change.title || change.about}</q>
      ${alike.has(change.tool) && change.records > 1 && ` ${text("and %d more", change.records - 1)}`}
      ${change.undone && html` <span class="tag">${text("undone")}</span>`}</span>`;
  return html`<li class=${change.undone ? "change undone" : "change"}>
    <${Disclosure} summary=${summary}><${Difference} id=${change.id} />
      <${Problem} error=${error} />
      <div class="row">${
        !change.undone &&
        html`<${Button} busy=${busy} onClick=${() => act("undo_change", { id: change.id })}>
        ${text("Undo this change")}<//>`
      }
        ${link && html`<a href=${link}>${text("Open what was changed")}</a>`}</div>
      <p class="soft small">${change.id} · ${change.tool} · ${change.about}</p><//></li>`;
}

// The tools that change each record of a selection in the same way.
const alike = new Set([
  "edit_memo",
  "remove_memo",
  "complete_todo",
  "remove_todo",
  "remove_memory",
  "confirm_memory",
  "rename_memo_tag",
]);

// recordLink returns the link to the record of a change, or "" if the page shows no such records.
function recordLink({ family, tool, about }) {
  const views = { memo: "memos", memory: "memories", calendar: "calendar", ask: "questions", space: "settings" };
  if (family === "calendar" && tool.includes("todo")) return linkTo("todos", about, fromHere());
  if (family === "ask" || family === "space") return linkTo(views[family]);
  return family in views ? linkTo(views[family], about, fromHere()) : "";
}

// Difference shows what a change did.
function Difference({ id }) {
  const { result, error, loading } = useCall("show_change", { id });
  if (loading) return html`<${Loading} />`;
  if (error) return html`<${Problem} error=${error} />`;
  return html`<${Lines} diff=${result.diff} ofFile=${result.change.family === "files"} />`;
}
