// The events and to-dos of a time, as the calendar shows them.
import { call } from "../api.js";
import { linkTo, spaceOf } from "../state.js";
import { text } from "../texts.js";
import { addDays, isoDate, isoMinute } from "../time.js";

// The colours of calendars: a stripe at the edge of an event. They differ in lightness too.
const colours = 6;

/** Returns the class with the colour of a record's calendar. */
export const stripe = ({ calendar }, calendars) =>
  `calendar-${Math.max(
    calendars.findIndex((c) => c.name === calendar),
    0,
  ) % colours}`;

/** Returns the link that opens an event or a to-do. kept are the fields of the present link that stay. */
export const recordLink = ({ event, todo }, kept) =>
  todo
    ? linkTo("calendar", todo.todo_id, { ...kept, kind: "to-do", ...spaceOf(todo) })
    : linkTo("calendar", event.event_id, { ...kept, calendar: event.calendar });

/**
 * Returns the events and open to-dos from start to before end, in the form of FullCalendar. onShown gets
 * what the view tells about them.
 */
export async function loadEvents({ start, end }, { calendars, hidden, onShown, kept }) {
  const input = { date_from: isoDate(start), date_to: isoDate(addDays(end, -1)), limit: 1000 };
  if (calendars.length) input.calendars = calendars.map((c) => c.name).filter((name) => !hidden.includes(name));
  if (input.calendars?.length === 0) return [];
  try {
    const result = await call("list_events", input);
    onShown((before) => ({ ...before, problem: null, truncated: result.truncated }));
    return [...result.events.map((event) => forGrid(event, calendars, kept)), ...(await loadTodos(start, input, { calendars, kept }))];
  } catch (problem) {
    onShown((before) => ({ ...before, problem }));
    return [];
  }
}

// loadTodos returns the open to-dos that are due in a time.
async function loadTodos(start, { date_to: end, calendars: names }, { calendars, kept }) {
  const which = names ? { calendars: names } : { calendar: "all" };
  const { todos } = await call("list_todos", { due_by: end, limit: 1000, ...which });
  return todos
    .filter((todo) => todo.due.slice(0, 10) >= isoDate(start))
    .map((todo) => ({
      id: todo.todo_id,
      title: `☐ ${todo.title || text("(no title)")}`,
      allDay: todo.all_day,
      start: todo.due.slice(0, 19),
      end: todo.all_day ? todo.due : isoMinute(new Date(new Date(`${todo.due.slice(0, 19)}Z`).getTime() + 1_800_000)),
      classNames: ["todo-event", stripe(todo, calendars), ...(todo.overdue ? ["overdue"] : [])],
      url: recordLink({ todo }, kept),
      durationEditable: false,
      extendedProps: { todo },
    }));
}

function forGrid(event, calendars, kept) {
  const of = calendars.findIndex((c) => c.name === event.calendar);
  const place = [stripe(event, calendars)];
  if (event.hold_expires || event.status === "tentative") place.push("tentative");
  if (event.status === "cancelled") place.push("cancelled");
  return {
    id: event.event_id,
    title: event.title || text("(no title)"),
    allDay: event.all_day,
    start: event.start.slice(0, 19),
    end: event.end.slice(0, 19),
    classNames: place,
    url: recordLink({ event }, kept),
    editable: !calendars[of]?.read_only,
    extendedProps: { event },
  };
}
