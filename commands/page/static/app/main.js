// The frame of the page: its start, its navigation and its views.
import "./trusted.js";
import { html, render, useEffect, useLayoutEffect, useState } from "./lib.js";
import { openSession, watchStore } from "./api.js";
import { addHere, KeysDialog, moveFocus, search, useKeys } from "./keys.js";
import { keepFocus } from "./focus.js";
import { Notice } from "./notice.js";
import { Problem } from "./parts.js";
import { connected, givenProof, goTo, linkTo, notice, place, session, storeVersion, subject } from "./state.js";
import { chosenLanguage, languages, loadTexts } from "./language.js";
import { lang, text } from "./texts.js";
import { setClock } from "./time.js";
import { useCall } from "./use.js";
import { Today } from "./views/today.js";
import { Questions } from "./views/questions.js";
import { Search } from "./views/search.js";
import { Review } from "./views/review.js";
import { Memories } from "./views/memories.js";
import { Memos } from "./views/memos.js";
import { CalendarView } from "./views/calendar.js";
import { Changes } from "./views/changes.js";
import { Todos } from "./views/todos.js";
import { Settings } from "./views/settings.js";
import { StoreView } from "./views/store.js";

// The texts are functions, because the language can change. key opens the view after g; / opens the search.
const views = {
  today: { key: "t", title: () => text("Today"), show: Today },
  search: { title: () => text("Search"), show: Search },
  questions: { key: "q", title: () => text("Questions"), show: Questions },
  todos: { key: "d", title: () => text("To-dos"), show: Todos },
  memories: { key: "m", title: () => text("Memories"), show: Memories },
  review: { key: "r", title: () => text("Review"), show: Review },
  memos: { key: "o", title: () => text("Memos"), show: Memos },
  calendar: { key: "c", title: () => text("Calendar"), show: CalendarView },
  changes: { key: "h", title: () => text("Changes"), show: Changes },
  store: { key: "s", title: () => text("Store"), show: StoreView },
  settings: { key: "e", title: () => text("Settings"), show: Settings },
};

function App() {
  const [, setLanguage] = useState(lang());
  const { view, space } = place.use();
  const online = connected.use();
  const about = subject.use();
  const { result } = useCall("list_questions", {});
  const current = views[view] ?? views.today;
  const waiting = result?.total ?? 0;
  const [open, setOpen] = useState("");
  const show = (name) => () => setOpen(name);
  useKeys({ "/": search, "?": show("keys"), n: addHere, j: () => moveFocus(1), k: () => moveFocus(-1) }, views);
  useEffect(() => {
    document.title = `${waiting ? `(${waiting}) ` : ""}${about ? `${about} – ` : ""}${current.title()} – techo`;
  });
  // The heading or a search gets the focus in a new view, so that a screen reader starts there: at
  // once, because a moment later it could take the focus from a field.
  useLayoutEffect(() => {
    const start = document.querySelector("main [data-start]") ?? document.querySelector("main h1");
    start.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    notice.value = null;
  }, [view, space]);
  const choose = async (event) => {
    await loadTexts(event.currentTarget.value, { remember: true });
    setLanguage(lang());
    storeVersion.value += 1; // messages of the program are in the new language too
  };
  return html`
    <a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      document.querySelector("main h1").focus();
    }}>
      ${text("Skip to the content")}</a>
    <header class="top">
      <a class="brand" href=${linkTo("today")}>techo<span lang="ja" aria-hidden="true">手帳</span></a>
      <nav aria-label=${text("Views")}><ul>${Object.entries(views).map(
        ([name, { title }]) => html`<li>
        <a href=${linkTo(name)} aria-current=${current === views[name] ? "page" : undefined}>${title()}
          ${
            name === "questions" &&
            waiting > 0 &&
            html` <span class="count"
            aria-label=${text("%d waiting", waiting)}>${waiting}</span>`
          }</a></li>`,
      )}</ul></nav>
      <div class="foot">
        <label><span class="hidden">${text("Language")}</span>
          <select value=${lang()} onChange=${choose}>${Object.entries(languages).map(
            ([name, own]) => html`<option value=${name} lang=${name} selected=${name === lang()}>${own}</option>`,
          )}</select></label>
        <${Spaces} />
        <button type="button" class="button quiet keys-button" onClick=${show("keys")}>${text("Keys")} <kbd>?</kbd>
        </button>
        <p class="zone">${session.value.user} · ${session.value.timezone}</p>
        ${!online && html`<p class="offline" role="status">${text("Not connected")}</p>`}
      </div>
    </header>
    <main id="main"><h1 tabindex="-1">${current.title()}</h1><${current.show} key=${lang() + space} /></main>
    ${open === "keys" && html`<${KeysDialog} views=${views} onClose=${show("")} />`}
    <${Notice} />`;
}

// Spaces chooses whose records are shown, if spaces are shared with the person.
function Spaces() {
  const { view, space } = place.use();
  const { result } = useCall("list_spaces", {});
  const names = (result?.spaces ?? []).map((s) => s.name);
  if (space && !names.includes(space)) names.push(space); // it is gone, or the link is wrong: the views say so
  if (!names.length) return null;
  return html`<label><span class="hidden">${text("Space")}</span>
    <select value=${space} onChange=${(e) => goTo(linkTo(view, "", { in: e.currentTarget.value }))}>
      <option value="" selected=${!space}>${text("My records")}</option>
      ${names.map((name) => html`<option value=${name} selected=${name === space}>${name}</option>`)}</select></label>`;
}

function Closed({ error }) {
  return html`<main class="closed"><h1>techo</h1><${Problem} error=${error} /></main>`;
}

// The browser's language is used until the settings of the server are known.
async function start() {
  const root = document.querySelector("#app");
  await loadTexts(chosenLanguage() || navigator.language.slice(0, 2));
  if (location.pathname !== "/") history.replaceState(null, "", `/${location.hash}`);
  try {
    session.value = await openSession(givenProof);
  } catch (error) {
    render(html`<${Closed} error=${error} />`, root);
    return;
  }
  setClock(session.value.now);
  if (!chosenLanguage()) await loadTexts(session.value.lang);
  render(html`<${App} />`, root);
  keepFocus();
  let timer = 0;
  watchStore(
    () => {
      clearTimeout(timer); // several changes at once cause one update
      timer = setTimeout(() => {
        storeVersion.value += 1;
      }, 100);
    },
    (state) => {
      if (connected.value !== state) connected.value = state;
    },
  );
}

start();
