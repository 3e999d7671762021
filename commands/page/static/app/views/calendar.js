// Calendar: day, week and month, with several calendars, holds and moving by drag.
import { html, useEffect, useRef, useState } from "../lib.js";
import { call } from "../api.js";
import { Button, Dialog, Loading, Problem } from "../parts.js";
import { goBack, goTo, linkTo, notice, place, spaceOf, storeVersion } from "../state.js";
import { lang, text } from "../texts.js";
import { addDays, eventTimes, isoDate, isoMinute, newHour, now, zoneTime } from "../time.js";
import { useCall } from "../use.js";
import { Agenda } from "./agenda.js";
import { loadEvents, recordLink, stripe } from "./calendar-events.js";
import { EventDialog, EventForm } from "./event.js";
import { TodoDialog } from "./todo.js";

const layouts = { day: "timeGridDay", week: "timeGridWeek", month: "dayGridMonth" };

const phone = () => window.matchMedia("(max-width: 46rem)").matches;

// Columns of days need room. Where there is less, weeks and months are lists, with whole titles.
const narrow = window.matchMedia("(max-width: 60rem)");

function useNarrow() {
  const [is, setIs] = useState(narrow.matches);
  useEffect(() => {
    const listen = () => setIs(narrow.matches);
    narrow.addEventListener("change", listen);
    return () => narrow.removeEventListener("change", listen);
  }, []);
  return is;
}

export function CalendarView() {
  const { id, query } = place.use();
  const layout = query.get("view") in layouts ? query.get("view") : phone() ? "day" : "week";
  const date = /^\d{4}-\d\d-\d\d$/.test(query.get("date") ?? "") ? query.get("date") : isoDate(now());
  const listed = useNarrow() && layout !== "day";
  const [hidden, setHidden] = useState([]);
  const [shown, setShown] = useState({ title: "", problem: null, truncated: false });
  const [creating, setCreating] = useState(null);
  const [moving, setMoving] = useState(null);
  const { result, error } = useCall("list_calendars", {});
  const calendars = result?.calendars ?? [];
  const kept = { view: layout, date };
  const go = (next) => goTo(linkTo("calendar", "", { ...kept, ...next }));
  const close = () => goBack(linkTo("calendar", "", kept));
  const step = (by) => {
    const at = new Date(`${date}T00:00:00Z`);
    if (layout === "month") at.setUTCMonth(at.getUTCMonth() + by, 1);
    else at.setUTCDate(at.getUTCDate() + by * (layout === "week" ? 7 : 1));
    go({ date: isoDate(at) });
  };
  return html`<div class="tools calendar-tools">
      <div class="row"><${Button} onClick=${() => step(-1)} aria-label=${text("Earlier")}>‹<//>
        <${Button} onClick=${() => go({ date: isoDate(now()) })}>${text("Today")}<//>
        <${Button} onClick=${() => step(1)} aria-label=${text("Later")}>›<//>
        <h2 aria-live="polite">${shown.title || date}</h2></div>
      <div class="row" role="group" aria-label=${text("View")}>${Object.entries({
        day: text("Day"),
        week: text("Week"),
        month: text("Month"),
      }).map(
        ([name, title]) => html`<${Button} aria-pressed=${String(layout === name)}
          onClick=${() => go({ view: name })}>${title}<//>`,
      )}
        <${Button} kind="main" data-key="n"
          onClick=${() => setCreating(newHour(date))}>
          ${text("New event")}<//></div></div>
    ${
      calendars.length > 1 &&
      html`<fieldset class="calendars"><legend class="hidden">${text("Calendars")}</legend>
      ${calendars.map(
        (c) => html`<label class=${`choice ${stripe({ calendar: c.name }, calendars)}`}><input type="checkbox"
        checked=${!hidden.includes(c.name)} onChange=${() =>
          setHidden(
            hidden.includes(c.name) ? hidden.filter((n) => n !== c.name) : [...hidden, c.name],
          )} /> <span>${c.name}</span></label>`,
      )}</fieldset>`
    }
    <${Problem} error=${error ?? shown.problem} />
    ${shown.truncated && html`<p class="hint">${text("Not all events of this time are shown.")}</p>`}
    ${
      result || error // the list of calendars above would shift the events under the mouse
        ? listed
          ? html`<${Agenda} ...${{ layout, date, calendars, hidden, kept, go }} onShown=${setShown} />`
          : html`<${Grid} ...${{ layout, date, calendars, hidden, kept }} onShown=${setShown}
          onCreate=${setCreating} onMove=${setMoving} />`
        : html`<${Loading} />`
    }
    ${
      !listed &&
      html`<p class="soft small">
      ${text("Drag an event to move it. With the keyboard, open it and change its times.")}</p>`
    }
    ${
      id &&
      (query.get("kind") === "to-do"
        ? html`<${TodoDialog} id=${id} space=${query.get("space") ?? ""} onClose=${close} />`
        : html`<${EventDialog} id=${id} calendar=${query.get("calendar") ?? ""} calendars=${calendars}
          onClose=${close} />`)
    }
    ${creating && html`<${EventForm} event=${creating} calendars=${calendars} onClose=${() => setCreating(null)} />`}
    ${
      moving &&
      html`<${ScopeDialog} onChoose=${(scope) => {
        moving.choose(scope);
        setMoving(null);
      }} />`
    }`;
}

// ScopeDialog asks how much of a series to move. Escape moves nothing.
function ScopeDialog({ onChoose }) {
  return html`<${Dialog} title=${text("Move a repeating event")} onClose=${() => onChoose("")}>
    <div class="row"><${Button} kind="main" onClick=${() => onChoose("this")}>${text("Only this one")}<//>
      <${Button} onClick=${() => onChoose("following")}>${text("This and later ones")}<//>
      <${Button} onClick=${() => onChoose("all")}>${text("The whole series")}<//></div><//>`;
}

// Grid shows FullCalendar, which gets plain wall clocks: the answers of techo are in the zone
// of the person already.
function Grid({ layout, date, calendars, hidden, kept, onShown, onCreate, onMove }) {
  const box = useRef();
  const calendar = useRef();
  const version = storeVersion.use();
  const latest = useRef({});
  const [hand] = useState(() => new Hand());
  latest.current = { calendars, hidden, kept, onShown, onCreate, onMove };
  useEffect(() => {
    let focused = ""; // the link of the event with the focus
    const created = new window.FullCalendar.Calendar(box.current, {
      ...settings(),
      initialView: layouts[layout],
      initialDate: date,
      events: async (span, done) => {
        let events = await loadEvents(span, latest.current);
        while (hand.busy) {
          await hand.free();
          events = await loadEvents(span, latest.current);
        }
        if (!box.current) return done([]); // the view was left meanwhile
        focused = focusedEvent(box.current);
        showHours(created, events);
        done(events);
      },
      // Events are drawn anew with new elements: the keyboard stays on the one where it was.
      eventDidMount: ({ el, event }) => {
        const { event: shown } = event.extendedProps;
        el.title = (shown ? [eventTimes(shown), event.title, zoneTime(shown)] : [event.title]).filter(Boolean).join(" ");
        if (shown?.event_timezone && !shown.all_day) {
          for (const part of el.querySelectorAll(".fc-event-time, .fc-event-title")) {
            const there = document.createElement("span");
            there.className = "there";
            there.textContent = zoneTime(shown, true);
            part.append(there);
          }
        }
        if (!focused || el.getAttribute("href") !== focused || focusedEvent(box.current) === null) return;
        focused = "";
        el.focus({ preventScroll: true });
      },
      loading: (busy) => box.current?.setAttribute("aria-busy", String(busy)),
      datesSet: ({ view }) => latest.current.onShown((before) => ({ ...before, title: view.title })),
      select: ({ start, end, allDay }) => latest.current.onCreate(spanOf(start, end, allDay)),
      eventClick: ({ event, jsEvent }) => {
        jsEvent.preventDefault();
        goTo(recordLink(event.extendedProps, latest.current.kept)); // its own is that of the view in which it was loaded
      },
      // The cell's name would hide the events in it; the number of the day has the date.
      dayCellDidMount: ({ el }) => el.removeAttribute("aria-labelledby"),
      moreLinkDidMount: ({ el }) => el.setAttribute("role", "button"),
      eventDragStart: () => hand.take(),
      eventDragStop: () => hand.release(),
      eventResizeStart: () => hand.take(),
      eventResizeStop: () => hand.release(),
      eventDrop: (change) => move(change, hand, latest.current),
      eventResize: (change) => move(change, hand, latest.current),
    });
    created.render();
    calendar.current = created;
    return () => created.destroy();
  }, []);
  useEffect(() => {
    calendar.current.changeView(layouts[layout], date);
  }, [layout, date]);
  useEffect(() => {
    calendar.current.refetchEvents();
  }, [version, hidden, calendars.length]);
  return html`<div class="grid" ref=${box} aria-busy="true"></div>`;
}

// focusedEvent returns the link of the event that has the focus, "" if nothing has it, and null if
// something else has it.
function focusedEvent(grid) {
  const active = document.activeElement;
  if (grid.contains(active)) return active.closest(".fc-event")?.getAttribute("href") ?? null;
  return active === document.body ? "" : null;
}

// Hand holds back what other programs change while the person moves an event: events that are
// drawn again under the mouse would end the drag or undo it.
class Hand {
  #held = 0;
  #waiting = [];

  get busy() {
    return this.#held > 0;
  }

  take() {
    this.#held++;
  }

  // The end of a drag comes before the move that it causes, which takes the hand again.
  release() {
    setTimeout(() => {
      if (--this.#held === 0) for (const go of this.#waiting.splice(0)) go();
    });
  }

  /** Waits until nothing is being moved. */
  free() {
    return new Promise((go) => this.#waiting.push(go));
  }
}

const settings = () => ({
  locale: lang(),
  timeZone: "UTC",
  now: isoMinute(now()),
  headerToolbar: false,
  nowIndicator: true,
  firstDay: 1,
  height: "auto",
  slotDuration: "00:30:00",
  slotMinTime: "07:00:00",
  slotMaxTime: "22:00:00",
  dayMaxEvents: 4,
  editable: true,
  selectable: true,
  eventInteractive: true,
  displayEventEnd: false,
  eventTimeFormat: { hour: "2-digit", minute: "2-digit", hour12: false },
  slotLabelFormat: { hour: "2-digit", minute: "2-digit", hour12: false },
  slotEventOverlap: false, // events at the same time are side by side
  eventMaxStack: 2, // as many as have room for a title; a link shows the others
  views: { timeGridDay: { eventMaxStack: 6 } },
  eventMinHeight: 26,
  eventShortHeight: 44,
  dragRevertDuration: 0, // no drag can begin while an event flies back
});

// showHours shows the hours of the day, and earlier and later ones if an event is there. So
// nothing scrolls inside the page.
function showHours(calendar, events) {
  const timed = events.filter((e) => !e.allDay);
  // Of an event over midnight the evening is shown; its morning only in the first day of the view, which has no more.
  const begin = isoDate(calendar.view.activeStart);
  const overnight = (e) => e.start.slice(0, 10) !== e.end.slice(0, 10) && e.end.slice(11, 16) !== "00:00";
  const early = timed.some((e) => overnight(e) && e.start.slice(0, 10) < begin);
  const first = Math.min(7, ...timed.map((e) => Number(e.start.slice(11, 13))));
  const last = Math.max(22, ...timed.map((e) => (overnight(e) ? 24 : Number(e.end.slice(11, 13)) + 1)));
  const clock = (hour) => `${String(hour).padStart(2, "0")}:00:00`;
  const wanted = { slotMinTime: clock(early ? 0 : first), slotMaxTime: clock(Math.min(24, last)) };
  for (const [name, value] of Object.entries(wanted)) {
    if (calendar.getOption(name) !== value) calendar.setOption(name, value);
  }
}

const spanOf = (start, end, allDay) =>
  allDay
    ? { all_day: true, start: isoDate(start), end: isoDate(addDays(end, -1)) }
    : { start: isoMinute(start), end: isoMinute(end) };

// moveTodo stores the new time of a to-do that was dragged.
async function moveTodo({ event, revert }, hand) {
  const { todo } = event.extendedProps;
  hand.take();
  try {
    const due = event.allDay ? isoDate(event.start) : isoMinute(event.start);
    const result = await call("edit_todo", { todo_id: todo.todo_id, expected_etag: todo.etag, due, ...spaceOf(todo) });
    notice.value = { undo: [{ about: result.todo.todo_id, ...spaceOf(todo) }], message: result.message };
  } catch (problem) {
    revert();
    notice.value = { problem };
  }
  hand.release();
  storeVersion.value += 1;
}

// move stores the new times of an event that was dragged, and shows what it conflicts with.
function move({ event, revert }, hand, { onMove }) {
  const { event: before, todo } = event.extendedProps;
  if (todo) {
    moveTodo({ event, revert }, hand);
    return;
  }
  const end = event.end ?? addDays(event.start, event.allDay ? 1 : 1 / 24);
  hand.take();
  const store = async (scope) => {
    if (!scope) {
      revert();
      hand.release();
      return;
    }
    try {
      const result = await call("update_event", {
        event_id: before.event_id,
        calendar: before.calendar,
        scope,
        expected_etag: before.etag,
        ...withoutFlag(spanOf(event.start, end, event.allDay)),
      });
      notice.value = {
        undo: [{ about: result.event.event_id, ...spaceOf(result.event) }],
        message: result.message,
      };
    } catch (problem) {
      revert();
      notice.value = { problem };
    }
    hand.release();
    storeVersion.value += 1;
  };
  if (before.recurring_event_id || before.recurrence?.length) onMove({ choose: store });
  else store("this");
}

const withoutFlag = ({ start, end }) => ({ start, end });
