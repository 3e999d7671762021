// Imports and exports: files of the browser's machine. The program gets and returns their content.
import { html, useState } from "../lib.js";
import { call } from "../api.js";
import { Button, Field, Problem, Section } from "../parts.js";
import { place, storeVersion } from "../state.js";
import { text } from "../texts.js";
import { isoDate, now } from "../time.js";
import { useCall } from "../use.js";
import { bytes } from "./store.js";

const maxFile = 24 << 20; // bytes that one request takes
const maxPart = 1 << 19; // characters of the lines that are imported at once, so that the progress is seen
const maxShown = 20; // problems and samples

/** What can be imported and exported, and the commands that do it. */
const kinds = () => ({
  memories: { title: text("Memories"), tool: "import_memories", command: "techo import memories FILE" },
  memos: { title: text("Memos"), tool: "import_memos", command: "techo import memos FILE" },
  calendar: { title: text("Events and to-dos"), tool: "import_calendar", command: "techo cal import FILE" },
});

/** The sections of the view Store for files. */
export function Transfer() {
  const { result } = useCall("list_calendars", {});
  const calendars = result?.calendars ?? [];
  return html`<${Export} calendars=${calendars} /><${Import} calendars=${calendars} />`;
}

function CalendarChoice({ calendars, value, onChoose }) {
  return html`<${Field} label=${text("Calendar")}><select value=${value}
    onChange=${(e) => onChoose(e.currentTarget.value)}>${calendars.map(
      (c) => html`<option value=${c.name} selected=${c.name === value}>${c.name}</option>`,
    )}</select><//>`;
}

const usual = (calendars) => calendars.find((c) => c.default)?.name ?? calendars[0]?.name ?? "";

// useWork returns [run, state]: run(work) keeps what work returns, its error and its progress.
function useWork() {
  const [state, setState] = useState({});
  const run = async (work) => {
    if (state.busy) return;
    setState({ busy: true, done: 0, all: 0 });
    try {
      setState({ result: await work((done, all) => setState({ busy: true, done, all })) });
    } catch (error) {
      setState({ error });
    }
  };
  return [run, state, () => setState({})];
}

function Work({ state, label }) {
  return html`${
    state.busy &&
    html`<p role="status">${label} <progress aria-label=${label} ...${
      state.all ? { max: state.all, value: state.done } : {}
    }></progress></p>`
  }<${Problem} error=${state.error} />`;
}

function Export({ calendars }) {
  const [run, state] = useWork();
  const [chosen, setChosen] = useState("");
  const name = chosen || usual(calendars);
  return html`<${Section} title=${text("Export")}>
    <p>${text("A file with everything of a kind. The import below reads it again.")}</p>
    <div class="line transfer">
      <${Button} busy=${state.busy} onClick=${() => run((tell) => exportLines("memories", tell))}>
        ${text("Memories (.jsonl)")}<//>
      <${Button} busy=${state.busy} onClick=${() => run((tell) => exportLines("memos", tell))}>
        ${text("Memos (.jsonl)")}<//></div>
    <div class="line transfer"><${CalendarChoice} calendars=${calendars} value=${name} onChoose=${setChosen} />
      <${Button} busy=${state.busy || !name} onClick=${() => name && run(() => exportCalendar(name))}>
        ${text("Calendar (.ics)")}<//></div>
    <${Work} state=${state} label=${text("Exporting…")} />
    ${state.result && html`<p role="status">${state.result}</p>`}<//>`;
}

// exportLines gets all records, page by page, and saves them as JSON Lines.
async function exportLines(what, tell) {
  const parts = [];
  let count = 0;
  for (let after = ""; ; ) {
    const page = await call(`export_${what}`, after ? { after } : {});
    parts.push(page.records.map((r) => `${JSON.stringify(r)}\n`).join(""));
    count += page.records.length;
    tell(0, 0);
    if (page.last) break;
    after = page.next;
  }
  const { space } = place.value;
  download(`techo-${what}${space ? `-${space}` : ""}-${isoDate(now())}.jsonl`, "application/jsonl", parts);
  return text("Written: %d", count);
}

async function exportCalendar(calendar) {
  const { content, message } = await call("export_calendar", { calendar });
  download(`techo-${calendar}-${isoDate(now())}.ics`, "text/calendar", [content]);
  return message;
}

// download saves a file by the browser, which asks or tells where.
function download(name, type, parts) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name.replace(/[^\p{L}\p{N}._-]+/gu, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function Import({ calendars }) {
  const [file, setFile] = useState(null);
  const [kind, setKind] = useState("memories");
  const [chosen, setChosen] = useState("");
  const [run, state, clear] = useWork();
  const choose = (event) => {
    const given = event.currentTarget.files[0] ?? null;
    setFile(given);
    clear();
    if (given) guessKind(given).then((guess) => guess && setKind(guess));
  };
  const into = kind === "calendar" && (chosen || usual(calendars)) ? { calendar: chosen || usual(calendars) } : {};
  const start = (dry) => run((tell) => importFile(file, kinds()[kind], into, dry, tell));
  return html`<${Section} title=${text("Import")}>
    <p>${text("What exists already stays, so that a file can be imported twice.")}</p>
    <${Field} label=${text("File")} wide=${true}
      note=${text("JSON Lines, JSON or .ics, at most %s. Larger files: %s", bytes(maxFile), kinds()[kind].command)}>
      <input type="file" accept=".jsonl,.ndjson,.json,.ics" onChange=${choose} /><//>
    <div class="line transfer"><${Field} label=${text("What it has")}><select value=${kind}
        onChange=${(e) => {
          setKind(e.currentTarget.value);
          clear();
        }}>${Object.entries(kinds()).map(
          ([name, { title }]) => html`<option value=${name} selected=${name === kind}>${title}</option>`,
        )}</select><//>
      ${
        kind === "calendar" &&
        html`<${CalendarChoice} calendars=${calendars.filter((c) => !c.read_only)} value=${into.calendar}
        onChoose=${setChosen} />`
      }
      <${Button} busy=${state.busy} onClick=${() => start(true)}>${text("Try it")}<//>
      <${Button} kind="main" busy=${state.busy} onClick=${() => start(false)}>${text("Import")}<//>
    </div>
    <${Work} state=${state} label=${text("Reading the file…")} />
    ${state.result && html`<${Report} report=${state.result} />`}<//>`;
}

// guessKind returns the kind of a file by its name and its beginning, or "".
async function guessKind(file) {
  if (/\.ics$/i.test(file.name)) return "calendar";
  const start = await file.slice(0, 4096).text();
  if (/^\s*BEGIN:VCALENDAR/i.test(start)) return "calendar";
  return /"priority"\s*:/.test(start) && !/"full_text"\s*:/.test(start) ? "memos" : "memories";
}

// failure is an error of the page in the form of an error of a call.
const failure = (message, hint) => Object.assign(new Error(message), { details: [], hint });

// importFile imports a file and returns a report. Lines are imported in parts; a dry run needs the whole file.
async function importFile(file, { tool, command }, into, dry, tell) {
  const shell = text("In a shell: %s", command);
  if (!file) throw failure(text("Choose a file first"), "");
  if (file.size > maxFile) {
    throw failure(text("The file has %s; the page takes at most %s", bytes(file.size), bytes(maxFile)), shell);
  }
  if (file.size === 0) throw failure(text("The file is empty"), "");
  const raw = await file.arrayBuffer();
  let content;
  try {
    content = new TextDecoder("utf-8", { fatal: true }).decode(raw);
  } catch {
    content = base64(new Uint8Array(raw)); // the program finds the encoding
    into = { ...into, base64: true };
  }
  if (dry) return reportOf(await call(tool, { ...into, content, dry_run: true }), true);
  const parts = tool === "import_calendar" || into.base64 ? [content] : partsOf(content);
  const sum = reportOf({});
  let lines = 0;
  try {
    for (const [i, part] of parts.entries()) {
      tell(i, parts.length);
      sum.add(reportOf(await call(tool, { ...into, content: part })), lines);
      lines += part.split("\n").length - 1;
    }
  } catch (error) {
    if (sum.imported) error.details = [...error.details, { message: text("Imported before: %d", sum.imported) }];
    throw error;
  } finally {
    storeVersion.value += 1;
  }
  return sum;
}

function base64(raw) {
  const step = 1 << 15; // String.fromCharCode takes each byte as an argument
  let all = "";
  for (let i = 0; i < raw.length; i += step) all += String.fromCharCode(...raw.subarray(i, i + step));
  return btoa(all);
}

// partsOf divides JSON Lines into parts of whole lines. Other files have one part.
function partsOf(content) {
  const first = content.slice(0, content.indexOf("\n")).trim();
  try {
    if (Array.isArray(JSON.parse(first))) return [content];
  } catch {
    return [content];
  }
  const parts = [];
  for (let from = 0; from < content.length; ) {
    const end = content.indexOf("\n", from + maxPart);
    parts.push(content.slice(from, end < 0 ? content.length : end + 1));
    from = end < 0 ? content.length : end + 1;
  }
  return parts;
}

// reportOf returns the result of an import in the form that is shown.
function reportOf(r, dry = false) {
  const todos = r.todos ?? {};
  return {
    dry,
    imported: (r.imported ?? 0) + (todos.imported ?? 0),
    changed: (r.changed ?? 0) + (todos.changed ?? 0),
    existing: (r.existing ?? 0) + (todos.existing ?? 0),
    older: (r.older ?? 0) + (todos.older ?? 0),
    skipped: r.skipped ?? 0,
    faults: r.problem_count ?? 0,
    problems: [...(r.errors ?? []), ...(r.problems ?? [])],
    leftOut: r.left_out ?? [],
    sample: (r.sample ?? []).map((s) => s.caption),
    add(other, lines) {
      for (const name of ["imported", "changed", "existing", "older", "skipped", "faults"]) this[name] += other[name];
      this.problems.push(...other.problems.map((p) => ({ ...p, line: p.line + lines })));
      this.leftOut.push(...other.leftOut);
    },
  };
}

// Report shows what was imported, and what was left out and why.
function Report({ report }) {
  const counts = [
    [report.dry ? text("Would be imported") : text("Imported"), report.imported],
    [text("Changed"), report.changed],
    [text("Existing"), report.existing],
    [text("Older versions left out"), report.older],
    [text("Left out"), report.skipped + report.leftOut.reduce((n, l) => n + l.count, 0)],
    [text("Problems"), report.faults],
  ].filter(([, n], i) => n > 0 || i === 0);
  const more = report.problems.length - maxShown;
  return html`<div class="card report" role="status">
    <p><b>${report.dry ? text("Nothing was imported yet.") : text("The file is imported.")}</b></p>
    <dl class="facts">${counts.map(([name, n]) => html`<div><dt>${name}</dt><dd>${n}</dd></div>`)}</dl>
    ${report.sample.length > 0 && html`<ul>${report.sample.map((s) => html`<li>${s}</li>`)}</ul>`}
    ${
      report.problems.length + report.leftOut.length > 0 &&
      html`<ul>${report.problems.slice(0, maxShown).map(
        (p) => html`<li>${text("line %d: %s", p.line, p.message)}</li>`,
      )}
      ${more > 0 && html`<li>${text("and %d more", more)}</li>`}
      ${report.leftOut.map((l) => html`<li>${l.count}: ${l.why}</li>`)}</ul>`
    }</div>`;
}
