// Times. techo answers in the zone of the person, so the wall clock of an answer is
// shown as it is, and never converted to the zone of the browser.
import { lang, text } from "./texts.js";

let clock = { server: 0, browser: 0 };

/** Sets the clock of the page by the server's time, which may differ from the browser's. */
export function setClock(now) {
  clock = { server: wall(now).getTime(), browser: Date.now() };
}

/** Returns a time of an answer as a date whose UTC fields are the wall clock. */
export const wall = (time) => new Date(`${time.slice(0, 10)}T${time.slice(11, 19) || "00:00:00"}Z`);

/** Returns the person's present time in the same form. */
export const now = () => new Date(clock.server + Date.now() - clock.browser);

/** Returns a date as YYYY-MM-DD. */
export const isoDate = (date) => date.toISOString().slice(0, 10);

/** Returns a date and time as YYYY-MM-DDThh:mm. */
export const isoMinute = (date) => date.toISOString().slice(0, 16);

/** Returns the hour of a new event on a day, YYYY-MM-DD: the next one of today, nine o'clock of another day. */
export function newHour(day) {
  const hours = (from, n) => isoMinute(new Date(from.getTime() + n * 3_600_000));
  const start = day === isoDate(now()) ? `${hours(now(), 1).slice(0, 13)}:00` : `${day}T09:00`;
  return { start, end: hours(wall(start), 1) };
}

/** Returns a date that is some days later. */
export const addDays = (date, days) => new Date(date.getTime() + days * 86_400_000);

// Formatters are slow to make, and a list needs one for each row.
const formatters = new Map();

function format(date, options) {
  const key = lang() + JSON.stringify(options);
  if (!formatters.has(key)) formatters.set(key, new Intl.DateTimeFormat(lang(), { timeZone: "UTC", ...options }));
  return formatters.get(key).format(date);
}

/** Formats a day, as in "Friday, January 2, 2026". */
export const longDay = (date) => format(date, { dateStyle: "full" });

/** Formats a day shortly, as in "Fri, Jan 2". */
export const shortDay = (date) =>
  format(date, {
    weekday: "short",
    month: "short",
    day: "numeric",
    ...(isoDate(date).slice(0, 4) === isoDate(now()).slice(0, 4) ? {} : { year: "numeric" }),
  });

/** Formats a month, as in "November 2026". */
export const monthName = (date) => format(date, { month: "long", year: "numeric" });

/** Returns the short name of a weekday; 0 is Monday. */
export const dayName = (day) => format(new Date(Date.UTC(2024, 0, 1 + day)), { weekday: "short" });

/** Formats the time of day, as in 14:00. */
export const clockTime = (time) => time.slice(11, 16);

/** Formats a time of an answer: today's with the time of day, others with the date. */
export function when(time) {
  if (!time) return "";
  const date = wall(time);
  const day = isoDate(date);
  if (day === isoDate(now())) return text("today %s", clockTime(time));
  if (day === isoDate(addDays(now(), -1))) return text("yesterday %s", clockTime(time));
  const sameYear = day.slice(0, 4) === isoDate(now()).slice(0, 4);
  const shown = format(date, { month: "short", day: "numeric", ...(sameYear ? {} : { year: "numeric" }) });
  return time.length > 10 ? `${shown} ${clockTime(time)}` : shown;
}

/** Formats the times of an event for a list of one day. */
export function eventTimes(event) {
  if (event.all_day) return text("all day");
  return `${clockTime(event.start)}–${clockTime(event.end)}`;
}

/** Returns the clock of a zone at a time, as YYYY-MM-DDThh:mm: "" without a zone, and for one that a file defines. */
export function clockIn(zone, time) {
  if (!zone) return "";
  const fields = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" };
  try {
    return new Intl.DateTimeFormat("sv", { timeZone: zone, ...fields }).format(new Date(time)).replace(" ", "T");
  } catch {
    return "";
  }
}

/**
 * Formats when an event starts in a zone of its own, as in "09:00 New York", or "09:00 EDT" if short: "" if that is
 * the person's.
 */
export function zoneTime({ event_timezone: zone, start, all_day: allDay }, short = false) {
  if (!zone || allDay) return "";
  const at = new Date(start);
  const city = zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");
  try {
    if (short) return format(at, { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" });
    const clock = format(at, { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    const day = format(at, { timeZone: zone, weekday: "short" });
    return day === format(wall(start), { weekday: "short" }) ? `${clock} ${city}` : `${day} ${clock} ${city}`;
  } catch {
    return city; // a zone that a file defines
  }
}

/** Formats the day and time that a to-do is due: near days by their names. */
export function dueWords({ due, all_day: allDay }) {
  const day = due.slice(0, 10);
  const near = { [-1]: text("yesterday"), 0: text("today"), 1: text("tomorrow") };
  const from = Math.round((wall(day) - wall(isoDate(now()))) / 86_400_000);
  const words = near[from] ?? shortDay(wall(day));
  return allDay ? words : `${words} ${clockTime(due)}`;
}
