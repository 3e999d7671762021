package page_test

import "testing"

// TestBrowserTodos adds, repeats, completes, moves and removes to-dos in every view that has them.
func TestBrowserTodos(t *testing.T) {
	p := newPerson(t)
	b := p.keepsTodos(t)
	p.movesTodos(b)

	// A difference has a row for each field.
	b.visit("changes", "Changes")
	b.shows(".change .what", "removed the to-do")
	js[any](b, `[...document.querySelectorAll(".change summary")].filter((e) =>
		e.textContent.includes("changed the to-do") && e.textContent.includes("bank"))[1].click(); null`)
	b.shows(".diff .line.added b", "location:")
	if !js[bool](b, `{ const rows = [...document.querySelectorAll(".diff .line")].map((e) =>
		e.getBoundingClientRect()); rows.length > 1 && rows.every((r, i) => !i || r.top >= rows[i - 1].bottom - 1) }`) {
		t.Error("the lines of a difference are not below each other")
	}
	b.click("Open what was changed")
	b.shows("dialog h2", "Call the bank")
	b.clean()
}

// keepsTodos adds a repeating to-do, completes it and takes that back.
func (p *person) keepsTodos(t *testing.T) *browser {
	t.Helper()
	p.techo("", "todo", "add", "Call the bank", "--due", "2026-11-18", "--priority", "1")
	p.techo("", "todo", "add", "Read <b>this</b>")
	b := p.open()
	b.shows(".todo.overdue", "Call the bank")
	b.visit("todos", "To-dos")
	b.shows(".section h2", "Overdue")
	b.shows(".todo .title", "Read <b>this</b>")
	b.shows(".todo .dots", "●●●●●")
	b.click("New to-do")
	b.fill("What is to be done", "Pay rent")
	b.fill("Due", "tomorrow 17:00")
	b.choose("Repeats", "monthly")
	b.click("Add")
	b.closes()
	b.shows(".todo", "tomorrow 17:00 · every month")
	p.wants(`"recurrence":["RRULE:FREQ=MONTHLY"]`, "todo", "list", "--query", "rent")

	b.click("Done: Pay rent")
	b.shows(".todo", "Mon, Dec 21 17:00")
	b.click("Undo")
	b.shows(".todo", "tomorrow 17:00")
	return b
}

// movesTodos drags a to-do in the calendar, changes it, marks it as done and opens it again.
func (p *person) movesTodos(b *browser) {
	p.t.Helper()
	b.visit("calendar", "Calendar")
	b.shows(`[data-date="2026-11-18"] .todo-event`, "Call the bank")
	toX, _ := b.center(`.fc-day-fri[data-date="2026-11-20"] .fc-daygrid-day-frame`, "")
	x, y := b.center(".todo-event", "Call the bank")
	b.run(drag(x, y, toX, y))
	b.shows(".notice", "Call the bank")
	p.wants(`"due":"2026-11-20"`, "todo", "list", "--query", "bank")
	js[any](b, `document.querySelector(".todo-event").click(); null`)
	b.shows("dialog h2", "Call the bank")
	b.click("Edit")
	b.fill("Where", "Room 2")
	b.choose("Priority", "5")
	b.click("Save")
	b.closes()
	p.wants(`"priority":5`, "todo", "list", "--query", "bank")

	b.visit("today", "Today")
	b.shows(".todo", "Call the bank")
	b.click("Done: Call the bank")
	b.hides(".todo", "Call the bank")
	b.visit("todos?status=done", "To-dos")
	b.shows(".todo.done", "Call the bank")
	b.click("Open again: Call the bank")
	b.hides(".todo", "Call the bank")
	p.wants(`"total":3`, "todo", "list")
	b.visit("todos", "To-dos")
	b.click("Read")
	b.click("Remove")
	b.closes()
	b.hides(".todo", "Read")
}

// choose selects a value of the field with a label.
func (b *browser) choose(label, value string) {
	b.t.Helper()
	b.focus(label)
	js[any](b, `{ const f = document.activeElement; f.value = `+quote(value)+`;
		f.dispatchEvent(new Event("change", { bubbles: true })); } null`)
}
