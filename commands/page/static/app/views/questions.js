// Questions: what agents ask, and what was answered.
import { html, useState } from "../lib.js";
import { Button, Disclosure, Empty, Field, Loading, Problem, Section, TextInput } from "../parts.js";
import { text } from "../texts.js";
import { when } from "../time.js";
import { useAction, useCall } from "../use.js";

export function Questions() {
  const { result, error, loading } = useCall("list_questions", {});
  return html`<${Problem} error=${error} />
    ${loading && html`<${Loading} />`}
    ${
      result &&
      (result.questions.length
        ? result.questions.map((q) => html`<${QuestionCard} key=${q.question_id} question=${q} />`)
        : html`<${Empty} message=${text("No question waits for you.")}
        command='techo ask "Delete the old logs?" --option Yes --option No' />`)
    }
    <${History} />`;
}

/** A pending question with everything that answers it. */
export function QuestionCard({ question }) {
  const [act, error, busy] = useAction();
  const [own, setOwn] = useState("");
  const [picked, setPicked] = useState([]);
  const answer = (value) => act("answer_question", { question_id: question.question_id, answer: value });
  const toggle = (number) =>
    setPicked(picked.includes(number) ? picked.filter((n) => n !== number) : [...picked, number].sort((a, b) => a - b));
  const several = () => answer([...picked, ...(own.trim() ? [own] : [])].join(","));
  const id = `question-${question.question_id}`;
  return html`<article class="card question" aria-labelledby=${id}>
    <p class="asked" id=${id}>${question.question}</p>
    <${Origin} question=${question} />
    ${
      question.secret
        ? html`<p class="hint">${text("This asks for a secret: type it at the terminal that asks.")}</p>`
        : html`<div class="answers" role="group" aria-labelledby=${id}>
        ${question.options.map((option, i) =>
          question.multiple
            ? html`<label class="choice"><input type="checkbox" checked=${picked.includes(i + 1)}
            onChange=${() => toggle(i + 1)} /> <span>${option}</span></label>`
            : html`<${Button} kind="option" busy=${busy} onClick=${() => answer(String(i + 1))}>${option}<//>`,
        )}
      </div>
      ${
        (!question.no_other || question.multiple) &&
        html`<form class="line" onSubmit=${(e) => {
          e.preventDefault();
          (question.multiple ? several : () => answer(own))();
        }}>
        ${
          !question.no_other &&
          html`<${Field} label=${question.options.length ? text("Another answer") : text("Answer")}>
          <${TextInput} value=${own} onText=${setOwn} /><//>`
        }
        <${Button} kind="main" type="submit" busy=${busy}>${text("Answer")}<//>
      </form>`
      }`
    }
    <${Problem} error=${error} />
    <div class="row"><${Button} kind="quiet" busy=${busy}
      onClick=${() => act("answer_question", { question_id: question.question_id, decline: true })}>
      ${text("Decline")}<//></div>
  </article>`;
}

function Origin({ question }) {
  const facts = [
    text("asked by %s", question.asked_by),
    when(question.asked_at),
    question.dir && text("in %s", question.dir),
    question.pid && text("process %d", question.pid),
    question.default && text("default: %s", question.default),
    question.expires_at && text("expires %s", when(question.expires_at)),
  ];
  return html`<p class="soft small">${facts.filter(Boolean).join(" · ")}</p>`;
}

// The words for the states of a question.
const states = () => ({
  answered: text("answered"),
  declined: text("declined"),
  cancelled: text("withdrawn"),
  timeout: text("expired"),
});

function History() {
  const { result } = useCall("list_questions", { status: "all", limit: 100 });
  const ended = result?.questions.filter((q) => q.status !== "pending") ?? [];
  if (!ended.length) return null;
  return html`<${Section} title=${text("Answered earlier")}>
    <ul class="plain">${ended.map(
      (q) => html`<li class="past">
      <${Disclosure} summary=${html`<span class="past-question">${q.question}</span>
          <span class="past-answer">${q.status === "answered" ? q.answer : states()[q.status]}</span>`}>
        <${Origin} question=${q} />
        <p class="soft small">${[
          states()[q.status],
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
