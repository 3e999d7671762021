// Repetitions: the field that sets one, and rules in words.
import { html, useState } from "./lib.js";
import { Field, TextInput } from "./parts.js";
import { lang, plural, text } from "./texts.js";
import { dayName, shortDay, wall } from "./time.js";

const days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** Describes the rules of a record in words. A rule that has no short words is shown as it is. */
export function repeatWords(rules = []) {
  return rules.map((rule) => (rule.includes("FREQ=") ? ruleWords(rule) : rule)).join(", ");
}

function ruleWords(rule) {
  const parts = Object.fromEntries(
    rule
      .replace(/^RRULE:/, "")
      .split(";")
      .map((part) => part.split("=")),
  );
  const { FREQ: unit, INTERVAL: every = "1", BYDAY: on = "", COUNT: count, UNTIL: until, WKST: _, ...other } = parts;
  const { BYMONTHDAY: date, ...more } = other;
  const n = Number(every);
  const units = {
    DAILY: () => plural(n, "every day", "every %d days"),
    WEEKLY: () => plural(n, "every week", "every %d weeks"),
    MONTHLY: () => plural(n, "every month", "every %d months"),
    YEARLY: () => plural(n, "every year", "every %d years"),
  };
  const nth = /^(-?\d)(\w\w)$/.exec(on);
  if (!(unit in units) || Object.keys(more).length || (date && on)) return rule;
  const named = nth ? [] : on.split(",").filter(Boolean);
  if (!named.every((d) => days.includes(d)) || (named.length && unit !== "WEEKLY")) return rule;
  if ((nth || date) && (unit !== "MONTHLY" || !(nth ? ordinals()[nth[1]] : /^(-1|\d\d?)$/.test(date)))) return rule;
  const weekdays = on === "MO,TU,WE,TH,FR" && n === 1;
  const names = named.map((d) => dayName(days.indexOf(d))).join(lang() === "ja" ? "・" : ", ");
  let words = units[unit]();
  if (weekdays) words = text("every weekday");
  else if (names) words = text("%s on %s", words, names);
  if (nth) words = text("%s on the %s %s", words, ordinals()[nth[1]], dayName(days.indexOf(nth[2])));
  if (date) words = date === "-1" ? text("%s on the last day", words) : text("%s on day %s", words, date);
  if (count) words = text("%s, %s", words, plural(Number(count), "once", "%d times"));
  if (until) {
    const day = `${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6, 8)}`;
    words = text("%s, until %s", words, shortDay(wall(day)));
  }
  return words;
}

const ordinals = () => ({ 1: text("1st"), 2: text("2nd"), 3: text("3rd"), 4: text("%dth", 4), 5: text("%dth", 5), "-1": text("last") });

/** The value of the field that leaves a repetition as it is. */
export const keepRepeat = "keep";

const choices = () => ({
  "": text("Never"),
  daily: text("Every day"),
  weekdays: text("Every weekday"),
  weekly: text("Every week"),
  "every 2 weeks": text("Every 2 weeks"),
  monthly: text("Every month"),
  yearly: text("Every year"),
});

/** A field for a repetition: a usual one, or any in words. rules is the present one, if it is known. */
export function RepeatField({ value, onText, rules = [], keep = rules.length > 0 }) {
  const usual = value in choices() || value === keepRepeat;
  const [other, setOther] = useState(!usual);
  const option = (name, title, selected) => html`<option value=${name} selected=${selected}>${title}</option>`;
  const choose = (event) => {
    const chosen = event.currentTarget.value;
    setOther(chosen === "other");
    onText(chosen === "other" ? "" : chosen);
  };
  return html`<${Field} label=${text("Repeats")}><select onChange=${choose}>
      ${keep && option(keepRepeat, repeatWords(rules) || text("Unchanged"), value === keepRepeat)}
      ${Object.entries(choices()).map(([name, title]) => option(name, title, !other && name === value))}
      ${option("other", text("In other words"), other)}</select><//>
    ${
      other &&
      html`<${Field} label=${text("How it repeats")} note=${text("For example: every 2 weeks on tue")}>
      <${TextInput} value=${value} onText=${onText} /><//>`
    }`;
}

/** Returns the fields of a call for the value of the field. */
export function repeatFields(value, rules = []) {
  if (value === keepRepeat) return {};
  if (value.trim()) return { repeat: value.trim() };
  return rules.length ? { recurrence: [] } : {};
}
