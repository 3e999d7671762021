// The dialogs of one event: what it is, and the form that adds or changes one.
import { html, useState } from "../lib.js";
import { Markdown } from "../markdown.js";
import { Button, Dialog, Facts, Field, Loading, Problem, TextInput } from "../parts.js";
import { keepRepeat, RepeatField, repeatFields, repeatWords } from "../repeat.js";
import { session } from "../state.js";
import { text } from "../texts.js";
import { clockIn, eventTimes, longDay, wall, when, zoneTime } from "../time.js";
import { useAction, useCall, useDraft } from "../use.js";
import { listed } from "./todos.js";
import { FormDialog } from "./memory-form.js";

/** Shows an event with its actions. */
export function EventDialog({ id, calendar, calendars, onClose }) {
  const { result, error, loading } = useCall("get_event", { event_id: id, ...(calendar ? { calendar } : {}) });
  const [editing, setEditing] = useState(false);
  if (editing && result) {
    return html`<${EventForm} event=${formFields(result.event)} known=${result.event} calendars=${calendars}
      onClose=${onClose} />`;
  }
  return html`<${Dialog} title=${result?.event.title || (loading ? "…" : text("(no title)"))} onClose=${onClose}>
    ${loading && html`<${Loading} />`}<${Problem} error=${error} />
    ${result && html`<${Details} event=${result.event} onEdit=${() => setEditing(true)} onClose=${onClose} />`}<//>`;
}

function Details({ event, onEdit, onClose }) {
  const [act, error, busy] = useAction();
  const target = { event_id: event.event_id, calendar: event.calendar };
  const series = Boolean(event.recurring_event_id || event.recurrence?.length);
  const remove = (scope) => act("delete_event", { ...target, scope }, onClose, { about: () => event.event_id });
  const facts = [
    [text("When"), html`${longDay(wall(event.start))} ${eventTimes(event)}`],
    [text("Time zone"), event.event_timezone && `${event.event_timezone} (${zoneTime(event)})`],
    [text("Where"), event.location],
    [text("Calendar"), event.calendar],
    [
      text("Status"),
      event.hold_expires
        ? text("held until %s", when(event.hold_expires))
        : event.status === "confirmed"
          ? ""
          : event.status,
    ],
    [text("Repeats"), repeatWords(event.recurrence)],
    [text("Alarms"), event.alarms?.join(", ")],
    [text("Guests"), event.attendees?.map((a) => a.name || a.email).join(", ")],
    [text("Address"), event.url],
  ];
  return html`<${Facts} facts=${facts} />
    ${event.description && html`<${Markdown} source=${event.description} />`}
    <${Problem} error=${error} />
    <div class="row">${
      event.hold_expires &&
      html`<${Button} kind="main" busy=${busy}
        onClick=${() => act("confirm_event", { event_id: event.event_id }, onClose)}>${text("Confirm this time")}<//>`
    }
      <${Button} onClick=${onEdit}>${text("Edit")}<//>
      <${Button} kind="danger" busy=${busy} onClick=${() => remove("this")}>
        ${series ? text("Delete only this one") : text("Delete")}<//>
      ${
        series &&
        html`<${Button} kind="danger" busy=${busy} onClick=${() => remove("following")}>
        ${text("Delete this and later ones")}<//>
      <${Button} kind="danger" busy=${busy} onClick=${() => remove("all")}>
        ${text("Delete the whole series")}<//>`
      }</div>`;
}

// formFields returns an event as the form has it: with its times on the clock of its own zone, where it has one.
function formFields(event) {
  if (event.all_day) return { ...event, end: event.end_date, zone: "" };
  const there = (time) => clockIn(event.event_timezone, time);
  const zone = there(event.start) ? event.event_timezone : "";
  const clock = (time) => (zone ? there(time) : time.slice(0, 16));
  return { ...event, start: clock(event.start), end: clock(event.end), zone };
}

/** Adds an event, or changes the known one. */
export function EventForm({ event, known, calendars, onClose }) {
  const rules = known?.recurrence ?? [];
  const series = Boolean(known?.recurring_event_id || rules.length);
  const kept = useDraft(`event ${known?.event_id ?? ""}`, {
    title: "",
    location: "",
    description: "",
    all_day: false,
    zone: "",
    calendar: calendars.find((c) => c.default)?.name ?? "",
    ...event,
    ...moreFields(known),
    repeat: series ? keepRepeat : "",
    scope: "this",
  });
  const { fields: draft } = kept;
  const { repeat, scope } = draft;
  const [act, error, busy] = useAction();
  const set = (name) => (value) => kept.change({ ...draft, [name]: value });
  const save = () => {
    const { title, location, description, calendar } = draft;
    const before = known ? formFields(known) : {};
    const zone = draft.zone || (before.zone && session.value.timezone); // which leaves the zone that it had
    const there = (time) => (zone && !draft.all_day ? `${time.replace("T", " ")} ${zone}` : time);
    const [start, end] = [there(draft.start), there(draft.end)];
    const about = { about: (result) => result.event.event_id };
    const done = () => {
      kept.drop();
      onClose();
    };
    const fields = { title, location, description };
    const others = { ...changedMore(draft, known), ...(scope === "this" && series ? {} : repeatFields(repeat, rules)) };
    if (!known) {
      act("create_event", { ...fields, start, end, ...(calendar ? { calendar } : {}), ...others }, done, about);
      return;
    }
    const changed = Object.fromEntries(
      Object.entries(fields).filter(([name, value]) => value !== (before[name] ?? "")),
    );
    // A start that stays is not sent: the hour that comes twice in autumn has one clock for two times.
    if (draft.end !== before.end) changed.end = end;
    if (["start", "zone", "all_day"].some((name) => draft[name] !== before[name])) Object.assign(changed, { start, end });
    const whole = others.repeat && !series ? "all" : scope;
    const target = { event_id: known.event_id, calendar: known.calendar, expected_etag: known.etag, scope: whole };
    act("update_event", { ...target, ...changed, ...others }, done, about);
  };
  const kind = draft.all_day ? "date" : "datetime-local";
  const allDay = (on) =>
    kept.change({
      ...draft,
      all_day: on,
      start: on ? draft.start.slice(0, 10) : `${draft.start.slice(0, 10)}T09:00`,
      end: on ? draft.end.slice(0, 10) : `${draft.end.slice(0, 10)}T10:00`,
    });
  // A new start keeps the length.
  const startAt = (start) => {
    const length = at(draft.end) - at(draft.start);
    const end = start && length >= 0 ? new Date(at(start) + length).toISOString().slice(0, start.length) : draft.end;
    kept.change({ ...draft, start, end });
  };
  return html`<${FormDialog} title=${known ? text("Edit the event") : text("New event")}
      action=${known ? text("Save") : text("Add")} ...${{ save, error, busy, onClose, draft: kept }}>
    <${Field} label=${text("Title")} wide=${true}><${TextInput} value=${draft.title} onText=${set("title")} /><//>
    <label class="choice"><input type="checkbox" checked=${draft.all_day}
      onChange=${(e) => allDay(e.currentTarget.checked)} /> <span>${text("All day")}</span></label>
    <div class="pair"><${Field} label=${text("From")}><input type=${kind} value=${draft.start} required
        onInput=${(e) => startAt(e.currentTarget.value)} /><//>
      <${Field} label=${text("To")}><input type=${kind} value=${draft.end} required
        onInput=${(e) => set("end")(e.currentTarget.value)} /><//>
      ${!draft.all_day && html`<${ZoneField} value=${draft.zone} onChoose=${set("zone")} />`}</div>
    <${Field} label=${text("Where")} wide=${true}><${TextInput} value=${draft.location} onText=${set("location")} /><//>
    ${
      !known &&
      calendars.length > 1 &&
      html`<${Field} label=${text("Calendar")}><select value=${draft.calendar}
      onChange=${(e) => set("calendar")(e.currentTarget.value)}>${calendars
        .filter((c) => !c.read_only)
        .map(
          (c) => html`<option value=${c.name} selected=${c.name === draft.calendar}>${c.name}</option>`,
        )}</select><//>`
    }
    <div class="pair">${
      series &&
      html`<${Field} label=${text("Change")}><select onChange=${(e) => set("scope")(e.currentTarget.value)}>
        ${Object.entries(scopes()).map(
          ([name, title]) => html`<option value=${name} selected=${name === scope}>${title}</option>`,
        )}</select><//>`
    }
      ${
        (!series || scope !== "this") &&
        html`<${RepeatField} value=${repeat} onText=${set("repeat")} rules=${rules} keep=${series} />`
      }
      <${Field} label=${text("Alarms")} note=${text("Before it, as in: 10m, 1d")}>
        <${TextInput} value=${draft.alarms} onText=${set("alarms")} /><//>
      <${Field} label=${text("Guests")} note=${text("E-mail addresses, separated by commas. Nothing is sent.")}>
        <${TextInput} value=${draft.attendees} onText=${set("attendees")} /><//></div>
    <${Field} label=${text("Description")} wide=${true}>
      <${TextInput} multiline=${true} rows="4" value=${draft.description} onText=${set("description")} />
      <//><//>`;
}

const at = (time) => Date.parse(time.length > 10 ? `${time}Z` : time);

// ZoneField chooses the zone of the times above. "" is the person's own.
function ZoneField({ value, onChoose }) {
  const own = session.value.timezone;
  const zones = new Set(Intl.supportedValuesOf("timeZone")).add(value); // a browser knows more names than it lists
  return html`<${Field} label=${text("Time zone")}><select onChange=${(e) => onChoose(e.currentTarget.value)}>
    <option value="" selected=${!value}>${own}</option>
    ${[...zones]
      .filter((zone) => zone && zone !== own)
      .map((zone) => html`<option value=${zone} selected=${zone === value}>${zone}</option>`)}</select><//>`;
}

// How much of a series changes.
const scopes = () => ({
  this: text("Only this one"),
  following: text("This and later ones"),
  all: text("The whole series"),
});

const moreFields = (known) => ({
  alarms: (known?.alarms ?? []).join(", "),
  attendees: (known?.attendees ?? []).map((a) => a.email).join(", "),
});

// changedMore returns the lists that were changed. Guests who stay keep their names and answers.
function changedMore(more, known) {
  const before = moreFields(known);
  const changed = {};
  if (more.alarms !== before.alarms) changed.alarms = listed(more.alarms);
  if (more.attendees !== before.attendees) {
    const present = known?.attendees ?? [];
    changed.attendees = listed(more.attendees).map((email) => present.find((a) => a.email === email) ?? email);
  }
  return changed;
}
