// Settings: what can be changed here, and what is set elsewhere.
import { languages } from "../language.js";
import { html, useState } from "../lib.js";
import { Button, Field, Loading, Problem, Section, TextInput } from "../parts.js";
import { linkTo, notice } from "../state.js";
import { text } from "../texts.js";
import { when } from "../time.js";
import { useAction, useCall } from "../use.js";

export function Settings() {
  const { result, error, loading } = useCall("list_settings", {});
  const all = result?.settings ?? [];
  return html`<${Problem} error=${error} />${loading && html`<${Loading} />`}
    ${
      result &&
      html`<p>${text("Commands and agents that start from now on use what you change here.")}${" "}
      ${text("This page uses it when you run techo page again.")}</p>
      <p class="soft small">${text("Your settings are in this file:")} <code>${result.file}</code></p>
      <ul class="plain">${all
        .filter((s) => s.editable)
        .map((s) => html`<${Setting} key=${`${s.name} ${s.value} ${s.from}`} setting=${s} />`)}</ul>
      <${Calendars} /><${Spaces} /><${Machines} />
      <${Section} title=${text("Only at a terminal")}>
        <p>${text("These decide what agents can do and where records are, so that no page changes them.")}</p>
        ${
          !result.secret &&
          html`<p>${text("So that only you can answer and change these, set a secret:")}
            ${" "}<code>techo ask secret set</code></p>`
        }
        <ul class="plain">${all
          .filter((s) => !s.editable)
          .map((s) => html`<${Fixed} key=${s.name} setting=${s} />`)}</ul><//>`
    }`;
}

// The names of the settings that can be changed here.
const titles = () => ({
  lang: text("Language of commands and agents"),
  output: text("Form of the answers of commands"),
  tz: text("Time zone"),
  "working-hours": text("Working hours"),
  "working-days": text("Working days"),
  "event-buffer": text("Free minutes around events"),
});

// Setting is the form of one setting.
function Setting({ setting }) {
  const [value, setValue] = useState(setting.value);
  const [act, error, busy] = useAction();
  const { name, from, file, choices } = setting;
  // A message of the page stays until the store changes, and a setting does not change the store.
  const told = ({ message }) => {
    notice.value = { message };
  };
  const save = () => act("set_setting", { name, value }, told);
  const hidden = from === "environment" || from === "flag";
  return html`<li class="card setting"><form onSubmit=${(e) => {
    e.preventDefault();
    if (value) save();
  }}>
      <div class="line"><${Field} label=${titles()[name] ?? name} wide=${true}>${
        choices
          ? html`<select value=${value} onChange=${(e) => setValue(e.currentTarget.value)}>${choices.map(
              (c) => html`<option value=${c} selected=${c === value}>
                ${name === "lang" ? languages[c] : c}</option>`,
            )}</select>`
          : html`<${TextInput} value=${value} onText=${setValue} onEnter=${save} />`
      }<//>
        <${Button} type="submit" busy=${busy} aria-label=${text("Save: %s", titles()[name] ?? name)}>
          ${text("Save")}<//>
        ${
          from === "file" &&
          html`<${Button} busy=${busy} onClick=${() => act("unset_setting", { name }, told)}
          aria-label=${text("Use the default: %s", titles()[name] ?? name)}>${text("Use the default")}<//>`
        }</div></form>
    <p class="small">${setting.about}</p>
    <p class="soft small">${origin(setting)}${file && html` <code>${file}</code>`}
      ${hidden && ` ${text("It counts more than what is saved here.")}`}</p>
    <${Problem} error=${error} /></li>`;
}

// Fixed shows a setting that the page does not change.
function Fixed({ setting }) {
  const { name, value, about } = setting;
  return html`<li class="card setting"><h3><code>${name}</code>${value && html` <code>${value}</code>`}</h3>
    <p class="small">${about}</p>
    <p class="soft small">${origin(setting)} · <code>techo config set ${name} …</code></p></li>`;
}

// origin says where the value of a setting is from.
function origin({ from, variable }) {
  if (from === "environment") return text("From the environment: %s", variable);
  if (from === "flag") return text("From the command line of this page");
  return from === "file" ? text("Kept in a file") : text("The default");
}

function Calendars() {
  const { result, error } = useCall("list_calendars", {});
  const facts = (c) =>
    [c.default && text("the default"), c.read_only && text("read-only"), c.space].filter(Boolean).join(" · ");
  return html`<${Section} title=${text("Calendars")}><${Problem} error=${error} />
    <ul class="plain">${result?.calendars.map(
      (c) => html`<li class="fact">${c.name} <span class="soft small">${facts(c)}</span></li>`,
    )}</ul>
    <p class="teach">${text("In a shell:")} <code>techo cal subscribe</code> <code>techo cal rename</code>
      <code>techo cal default</code></p><//>`;
}

function Spaces() {
  const { result } = useCall("list_spaces", {});
  if (!result?.spaces.length) return null;
  return html`<${Section} title=${text("Spaces")}>
    <ul class="plain">${result.spaces.map(
      (s) => html`<li class="fact">${s.name} <span class="soft small">${s.role}</span></li>`,
    )}</ul>
    <p class="teach">${text("In a shell:")} <code>techo space grant</code> <code>techo space revoke</code></p><//>`;
}

// Machines are those that have this notebook too, with the last time that each was heard of.
function Machines() {
  const { result, error, loading } = useCall("sync_status", {});
  if (loading) return null;
  return html`<${Section} title=${text("Machines")}>
    <${Problem} error=${error} />
    ${
      result?.machines.length
        ? html`<p>${result.last_at ? text("Last synced: %s", when(result.last_at)) : text("Not synced yet")}</p>
          ${result.failed && html`<p>${text("A later try failed: %s", result.failed)}</p>`}
          ${
            result.conflicts > 0 &&
            html`<p><a href=${linkTo("review", "", { kind: "sync_conflict" })}>
              ${text("Changed on two machines: %s", result.conflicts)}</a></p>`
          }
          <ul class="plain">${result.machines.map(
            (m) => html`<li class="fact">${m.name} <span class="soft small">${machineFacts(m)}</span></li>`,
          )}${result.waiting.map(
            (w) => html`<li class="fact">${text("Waits: %s: %s", w.file, w.why)}</li>`,
          )}</ul>
          <p class="teach">${text("In a shell:")} <code>techo sync</code> <code>techo sync leave</code></p>`
        : html`<p class="teach">${text("This notebook on several machines:")}
            ${" "}<code>techo sync init</code> <code>techo sync join</code></p>`
    }<//>`;
}

const machineFacts = ({ own, left, last_at, clock_ahead_days: ahead = 0 }) =>
  [
    own && text("this machine"),
    left && text("has left"),
    last_at && when(last_at),
    ahead > 0 && text("its clock is ahead by %s days", ahead),
    ahead < 0 && text("its clock is behind by %s days", -ahead),
  ]
    .filter(Boolean)
    .join(" · ");
