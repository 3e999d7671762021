// Questions: what agents ask, and what was answered.
import { html, useRef, useState } from "../lib.js";
import { enterSecret } from "../api.js";
import { Button, Disclosure, Empty, Field, Loading, Problem, Section, TextInput } from "../parts.js";
import { answerStates } from "../shown.js";
import { drafts, storeVersion } from "../state.js";
import { text } from "../texts.js";
import { when } from "../time.js";
import { useAction, useCall } from "../use.js";

export function Questions() {
  const { questions, error, loading } = usePending();
  return html`<${Problem} error=${error} />
    ${loading && html`<${Loading} />`}
    ${
      !loading &&
      (questions.length
        ? questions.map((q) => html`<${QuestionCard} key=${q.question_id} question=${q} />`)
        : html`<${Empty} message=${text("No question waits for you.")}
        command='techo ask "Delete the old logs?" --option Yes --option No' />`)
    }
    <${History} />`;
}

/**
 * Returns {questions, error, loading}: the pending questions, and those that ended while the
 * person was writing an answer.
 */
export function usePending() {
  const { result, error, loading } = useCall("list_questions", {});
  const known = useRef(new Map());
  const pending = result?.questions ?? [];
  for (const question of pending) known.current.set(question.question_id, question);
  const waits = (id) => pending.some((q) => q.question_id === id);
  const ended = [...known.current.values()]
    .filter(({ question_id: id }) => drafts.has(id) && !waits(id))
    .map((question) => ({ ...question, ended: true }));
  return { questions: [...pending, ...ended], error, loading };
}

// useAnswer returns {own, picked}, what the person has begun to answer, and a function that
// changes it. An empty draft is forgotten.
function useAnswer(id) {
  const [, update] = useState(0);
  const draft = drafts.get(id) ?? { own: "", picked: [] };
  const change = (fields) => {
    const next = { ...draft, ...fields };
    if (next.own || next.picked.length) drafts.set(id, next);
    else drafts.delete(id);
    update((n) => n + 1);
  };
  return [draft, change];
}

/** A pending question with everything that answers it. A brief one opens what needs more room than its options. */
export function QuestionCard({ question, brief = false }) {
  const [act, error, busy, , again] = useAction();
  const id = `question-${question.question_id}`;
  return html`<article class=${brief ? "card question brief" : "card question"} aria-labelledby=${id}>
    <p class=${brief ? "asked clamped" : "asked"} id=${id}>${question.question}</p>
    ${!brief && html`<${Origin} question=${question} />`}
    ${
      question.ended
        ? html`<${Ended} id=${question.question_id} />`
        : html`<${Answers} ...${{ question, act, busy, brief }} />`
    }
    ${
      error?.details?.some((d) => d.path === "/secret")
        ? html`<${SecretForm} onDone=${again} />`
        : html`<${Problem} error=${error} />`
    }
  </article>`;
}

// SecretForm asks for the person's secret.
function SecretForm({ onDone }) {
  const [error, setError] = useState(null);
  const field = useRef();
  const submit = async (event) => {
    event.preventDefault();
    try {
      await enterSecret(field.current.value);
      onDone();
    } catch (problem) {
      field.current.value = "";
      setError(problem);
    }
  };
  return html`<form class="line" onSubmit=${submit}>
      <${Field} label=${text("Your secret")} note=${text("Once in this session")}>
        <input type="password" autocomplete="off" ref=${field} /><//>
      <${Button} kind="main" type="submit">${text("Enter")}<//>
    </form>
    <${Problem} error=${error} />`;
}

// Ended shows an answer that came too late, so that its text can be used elsewhere.
function Ended({ id }) {
  const [{ own }, change] = useAnswer(id);
  return html`<p class="hint" role="status">${text("This question no longer waits. Your answer was not sent.")}</p>
    ${own && html`<pre tabindex="0">${own}</pre>`}
    <div class="row"><${Button} kind="quiet" onClick=${() => {
      change({ own: "", picked: [] });
      storeVersion.value += 1;
    }}>${text("Discard")}<//></div>`;
}

// Answers offers everything that answers a question.
function Answers({ question, act, busy, brief }) {
  const id = question.question_id;
  const [{ own, picked }, change] = useAnswer(id);
  const done = () => drafts.delete(id);
  const answer = (value) => act("answer_question", { question_id: id, answer: value }, done);
  const decline = () => act("answer_question", { question_id: id, decline: true }, done);
  const several = () => answer([...picked, ...(own.trim() ? [own] : [])].join(","));
  const toggle = (number) =>
    change({
      picked: picked.includes(number) ? picked.filter((n) => n !== number) : [...picked, number].sort((a, b) => a - b),
    });
  const submit = (event) => {
    event.preventDefault();
    if (question.multiple) several();
    else answer(own);
  };
  const free = !question.no_other || question.multiple;
  const refuse = html`<${Button} kind="quiet" busy=${busy} onClick=${decline}>${text("Decline")}<//>`;
  const rest = html`${
    free &&
    html`<form class="line" onSubmit=${submit}>
        ${
          !question.no_other &&
          html`<${Field} label=${question.options.length ? text("Another answer") : text("Answer")}>
          <${TextInput} value=${own} onText=${(words) => change({ own: words })} /><//>`
        }
        <${Button} kind="main" type="submit" busy=${busy}>${text("Answer")}<//>${brief && refuse}
      </form>`
  }${!(brief && free) && html`<div class="row">${refuse}</div>`}`;
  if (question.secret) {
    return html`<p class="hint">${text("This asks for a secret: type it at the terminal that asks.")}</p>
      <div class="row">${refuse}</div>`;
  }
  return html`<div class="answers" role="group" aria-labelledby=${`question-${id}`}>
      ${question.options.map((option, i) =>
        question.multiple
          ? html`<label class="choice"><input type="checkbox" checked=${picked.includes(i + 1)}
            onChange=${() => toggle(i + 1)} /> <span>${option}</span></label>`
          : html`<${Button} kind="option" busy=${busy} onClick=${() => answer(String(i + 1))}>${option}<//>`,
      )}
    </div>
    ${
      brief && question.options.length
        ? html`<${Disclosure} summary=${text("Answer otherwise")} open=${own !== ""}><${Origin} question=${question} />${rest}<//>`
        : rest
    }`;
}

function Origin({ question }) {
  const facts = [
    text("asked by %s", question.asked_by),
    when(question.asked_at),
    question.dir && text("in %s", question.dir),
    question.default && text("default: %s", question.default),
    question.expires_at && text("expires %s", when(question.expires_at)),
  ];
  return html`<p class="soft small">${facts.filter(Boolean).join(" · ")}</p>`;
}

function History() {
  const { result } = useCall("list_questions", { status: "all", limit: 100 });
  const ended = result?.questions.filter((q) => q.status !== "pending") ?? [];
  if (!ended.length) return null;
  return html`<${Section} title=${text("Answered earlier")}>
    <ul class="plain">${ended.map(
      (q) => html`<li class="past">
      <${Disclosure} summary=${html`<span class="past-question">${q.question}</span>
          <span class="past-answer">${q.status === "answered" ? q.answer : answerStates()[q.status]}</span>`}>
        <${Origin} question=${q} />
        <p class="soft small">${[
          answerStates()[q.status],
          q.by && text("by %s", q.by),
          q.via && text("via %s", q.via),
          when(q.answered_at),
        ]
          .filter(Boolean)
          .join(" · ")}</p>
        ${q.late.map(
          (l) => html`<p class="small">${text("A late answer: %s", l.answer)}${" · "}
          ${when(l.answered_at)}</p>`,
        )}
      <//></li>`,
    )}</ul><//>`;
}
