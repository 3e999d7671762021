// A week or a month where columns have no room: the days below each other, with whole titles.
import { html, useEffect, useState } from "../lib.js";
import { Loading } from "../parts.js";
import { storeVersion } from "../state.js";
import { plural, text } from "../texts.js";
import { addDays, clockTime, dayName, isoDate, longDay, monthName, now, shortDay, zoneTime } from "../time.js";
import { loadEvents } from "./calendar-events.js";

const dayOf = (date) => new Date(`${date}T00:00:00Z`);

/** Returns the Monday of a date's week. */
const monday = (date) => addDays(date, -((date.getUTCDay() + 6) % 7));

/** Shows a week as days with their events, or a month as a grid of marks above the events of a day. */
export function Agenda({ layout, date, calendars, hidden, kept, go, onShown }) {
  const month = layout === "month";
  const [first, end] = spanOf(layout, date);
  const events = useEvents(first, end, { calendars, hidden, kept, onShown });
  const title = month
    ? monthName(dayOf(date))
    : text("%s to %s", shortDay(dayOf(first)), shortDay(addDays(dayOf(end), -1)));
  useEffect(() => onShown((before) => ({ ...before, title })), [title]);
  if (!events) return html`<${Loading} />`;
  const days = daysFrom(first, end);
  if (month) {
    return html`<${Marks} ...${{ days, date, events, go }} /><${Day} day=${date} events=${events} open=${true} />`;
  }
  return days.map((day) => html`<${Day} key=${day} day=${day} events=${events} />`);
}

function spanOf(layout, date) {
  const at = dayOf(date);
  if (layout === "week") return [isoDate(monday(at)), isoDate(addDays(monday(at), 7))];
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0));
  return [isoDate(monday(dayOf(`${date.slice(0, 7)}-01`))), isoDate(addDays(monday(last), 7))];
}

function daysFrom(first, end) {
  const days = [];
  for (let day = first; day < end; day = isoDate(addDays(dayOf(day), 1))) days.push(day);
  return days;
}

// useEvents returns the events of a time, null before the first answer.
function useEvents(first, end, of) {
  const version = storeVersion.use();
  const [events, setEvents] = useState(null);
  useEffect(() => {
    let current = true;
    loadEvents({ start: dayOf(first), end: dayOf(end) }, of).then((all) => current && setEvents(all));
    return () => {
      current = false;
    };
  }, [first, end, version, of.hidden, of.calendars.length]);
  return events;
}

// on returns the events of a day in the order of their times. The end of an event is exclusive.
const on = (events, day) =>
  events
    .filter((e) => e.start.slice(0, 10) <= day && (e.start.slice(0, 10) === day || lastDay(e) >= day))
    .sort((a, b) => Number(b.allDay) - Number(a.allDay) || a.start.localeCompare(b.start));

function lastDay({ end, allDay }) {
  const day = end.slice(0, 10);
  return allDay || end.slice(11, 16) === "00:00" ? isoDate(addDays(dayOf(day), -1)) : day;
}

function Day({ day, events, open = false }) {
  const all = on(events, day);
  const today = day === isoDate(now());
  return html`<section class=${today ? "section day today" : "section day"}>
    <h3>${longDay(dayOf(day))}${today ? html` <span class="tag">${text("Today")}</span>` : ""}</h3>
    ${
      all.length
        ? html`<ul class="agenda">${all.map(
            (e) => html`<li key=${e.url}><a href=${e.url} class=${["entry", ...e.classNames].join(" ")}>
        <span class="time">${timesOn(e, day)}</span><span class="title">${e.title}
        ${e.extendedProps.event && html`<span class="soft there">${zoneTime(e.extendedProps.event)}</span>`}</span></a></li>`,
          )}</ul>`
        : open && html`<p class="soft">${text("Nothing on this day.")}</p>`
    }</section>`;
}

// timesOn says when an event is on one of its days.
function timesOn(e, day) {
  if (e.allDay) return text("all day");
  if (e.extendedProps.todo) return clockTime(e.start);
  const from = e.start.slice(0, 10) === day ? clockTime(e.start) : "…";
  return `${from}–${e.end.slice(0, 10) === day ? clockTime(e.end) : "…"}`;
}

const mostMarks = 4;

// Marks is a month of small days. A day is a button that shows its events below.
function Marks({ days, date, events, go }) {
  const weeks = Array.from({ length: days.length / 7 }, (_, i) => days.slice(i * 7, i * 7 + 7));
  return html`<table class="marks"><thead><tr>${[0, 1, 2, 3, 4, 5, 6].map(
    (d) => html`<th scope="col">${dayName(d)}</th>`,
  )}</tr></thead>
    <tbody>${weeks.map(
      (week) => html`<tr>${week.map((day) => {
        const all = on(events, day);
        const kind = [day.slice(0, 7) === date.slice(0, 7) ? "" : "other", day === isoDate(now()) ? "today" : ""];
        return html`<td><button type="button" class=${kind.join(" ")} aria-pressed=${String(day === date)}
          aria-label=${`${longDay(dayOf(day))}, ${plural(all.length, "%d entry", "%d entries")}`}
          onClick=${() => go({ date: day })}>${Number(day.slice(8))}
          <span class="dots-line">${all.slice(0, mostMarks).map((e) => html`<i class=${e.classNames.join(" ")}></i>`)}
          </span></button></td>`;
      })}</tr>`,
    )}</tbody></table>`;
}
