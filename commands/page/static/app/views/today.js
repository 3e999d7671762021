// Today: what waits, what happens today, and what was changed.
import { html } from "../lib.js";
import { Empty, Loading, Problem, Section } from "../parts.js";
import { fromHere, linkTo } from "../state.js";
import { text } from "../texts.js";
import { eventTimes, isoDate, longDay, now, zoneTime } from "../time.js";
import { useCall } from "../use.js";
import { ChangeList } from "./changes.js";
import { QuestionCard, usePending } from "./questions.js";
import { Decisions } from "./review.js";
import { TodoList } from "./todos.js";

export function Today() {
  const day = isoDate(now());
  return html`<p class="lead">${longDay(now())}</p>
    <${Waiting} /><${Events} day=${day} /><${Due} day=${day} /><${Decisions} /><${Recent} />`;
}

const mostWaiting = 2; // questions: the day stays in view below them

function Waiting() {
  const { questions, error } = usePending();
  if (!questions.length) return html`<${Problem} error=${error} />`;
  const action = html`<a href=${linkTo("questions")}>${text("All questions: %d", questions.length)}</a>`;
  return html`<${Section} title=${text("Waiting for you")} action=${action}><${Problem} error=${error} />
    ${questions.slice(0, mostWaiting).map((q) => html`<${QuestionCard} key=${q.question_id} question=${q} brief=${true} />`)}<//>`;
}

function Events({ day }) {
  const { result, error, loading } = useCall("list_events", { date: day, calendar: "all" });
  return html`<${Section} title=${text("Events")} action=${html`<a href=${linkTo("calendar")}>${text("Calendar")}</a>`}>
    <${Problem} error=${error} />
    ${loading && html`<${Loading} />`}
    ${
      result &&
      (result.events.length
        ? html`<ul class="agenda">${result.events.map(
            (event) => html`<li>
        <a href=${linkTo("calendar", event.event_id, { calendar: event.calendar, ...fromHere() })}>
          <span class="time">${eventTimes(event)}</span> <span class="title">${event.title || text("(no title)")}</span>
          ${[zoneTime(event), event.location].filter(Boolean).map((part) => html` <span class="soft">${part}</span>`)}
          ${event.hold_expires && html` <span class="tag">${text("held")}</span>`}</a></li>`,
          )}</ul>`
        : html`<${Empty} message=${text("No events today.")} command='techo cal create "Review" "today 14:00"' />`)
    }
  <//>`;
}

// Due shows what should be done today, and what should have been done.
function Due({ day }) {
  const { result, error, loading } = useCall("list_todos", { calendar: "all", due_by: day });
  return html`<${Section} title=${text("To-dos")} action=${html`<a href=${linkTo("todos")}>${text("All to-dos")}</a>`}>
    <${Problem} error=${error} />
    ${loading && html`<${Loading} />`}
    ${
      result &&
      (result.todos.length
        ? html`<${TodoList} todos=${result.todos} />`
        : html`<p class="soft">${text("Nothing is due today.")}</p>`)
    }
  <//>`;
}

function Recent() {
  const { result, error, loading } = useCall("list_history", { limit: 8 });
  return html`<${Section} title=${text("Recent changes")}
      action=${html`<a href=${linkTo("changes")}>${text("All changes")}</a>`}>
    <${Problem} error=${error} />
    ${loading && html`<${Loading} />`}
    ${
      result &&
      (result.changes.length
        ? html`<${ChangeList} changes=${result.changes} />`
        : html`<${Empty} message=${text("Nothing was changed yet. Changes of agents appear here by themselves.")}
        command='techo memo add tea "Green tea in the afternoon" --priority 3' />`)
    }
  <//>`;
}
