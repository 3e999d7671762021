// Store: its place, size and health, its backups, imports and exports.
import { html } from "../lib.js";
import { Button, Empty, Loading, Problem, Section } from "../parts.js";
import { session } from "../state.js";
import { text } from "../texts.js";
import { when } from "../time.js";
import { useAction, useCall } from "../use.js";
import { Transfer } from "./transfer.js";

/** Formats a number of bytes as the program does. */
export function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  for (; n >= 1024 && i < units.length - 1; i++) n /= 1024;
  return `${i ? n.toFixed(1) : n} ${units[i]}`;
}

export function StoreView() {
  const { result, error, loading } = useCall("store_info", {});
  return html`<${Problem} error=${error} />${loading && html`<${Loading} />`}
    ${result && html`<${Facts} info=${result} />`}<${Health} /><${Backups} /><${Transfer} />`;
}

function Facts({ info }) {
  const groups = [
    [text("Folder"), html`<code>${info.path}</code>`],
    [text("Size"), bytes(info.bytes)],
    [text("Memos"), info.memos],
    [text("Memories"), info.memories],
    [text("Events"), info.events],
    [text("To-dos"), info.todos],
    [text("Calendars"), info.calendars],
    [text("Questions"), info.questions],
    [text("Web pages"), `${info.web_pages}, ${bytes(info.web_bytes)}`],
    [text("Changes in the history"), `${info.history.changes}, ${bytes(info.history.bytes)}`],
    [text("History since"), info.history.oldest_at && when(info.history.oldest_at)],
    [text("Undoable file edits"), info.edits],
    [text("Store id"), html`<code>${info.store_id}</code>`],
  ];
  return html`<dl class="facts big">${groups
    .filter(([, value]) => value !== "")
    .map(
      ([name, value]) => html`<div class=${value.type === "code" ? "whole" : ""}>
        <dt>${name}</dt><dd>${value}</dd></div>`,
    )}</dl>`;
}

function Health() {
  const [act, error, busy] = useAction();
  return html`<${Section} title=${text("Health")}>
    <p>${text("The check reads every record and compares all checksums, indexes and counts.")}</p>
    <${Problem} error=${error} />
    <${Button} busy=${busy} onClick=${() => act("verify_store", {})}>${busy ? text("Checking…") : text("Check now")}
    <//><//>`;
}

function Backups() {
  const { result, error } = useCall("list_backups", {});
  const [act, problem, busy] = useAction();
  return html`<${Section} title=${text("Backups")}>
    <p>${text("A backup is one file with everything in the store. Agents can work meanwhile.")}</p>
    <${Problem} error=${error ?? problem} />
    <${Button} busy=${busy} onClick=${() => act("make_backup", {})}>
      ${busy ? text("Backing up…") : text("Back up now")}<//>
    ${
      result &&
      (result.backups.length
        ? html`<${BackupList} ...${result} />`
        : html`<${Empty} message=${text("There are no backups here yet.")}
          command="techo store backup techo.backup" />`)
    }<//>`;
}

function BackupList({ folder, backups, message }) {
  const restore = `techo store restore ${quoted(backups[0].file)} --store ${quoted(session.value.store)} --force`;
  return html`<p class="soft small">${message} · <code>${folder}</code></p>
    <ul class="plain backups">${backups.map(
      (b) => html`<li><code>${b.file.slice(folder.length + 1)}</code>${" "}
      <span class="soft small">${when(b.made_at)} · ${bytes(b.bytes)}</span></li>`,
    )}</ul>
    <p>${text("This command brings the newest one back. The present store is kept beside it.")}</p>
    <pre tabindex="0">${restore}</pre>`;
}

// quoted returns a path as a word of a shell.
const quoted = (path) => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
