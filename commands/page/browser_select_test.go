package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserSelect changes several memos, to-dos and memories at once, and takes each back at once.
func TestBrowserSelect(t *testing.T) {
	p := newPerson(t)
	for _, name := range []string{"tea", "ramen", "trip"} {
		p.techo("", "memo", "add", name, "About "+name+" <b>", "--priority", "3", "--tag", "old")
		p.techo("", "todo", "add", "Buy "+name)
		p.techo("", "memory", "add", "Something about "+name+" was said.")
	}
	p.techo("", "todo", "complete", p.ids("todos.todo_id", "todo", "list", "--query", "trip")[0])
	b := p.open()
	b.visit("memos", "Memos")
	b.shows(".memo", "ramen")
	b.click("Select")
	b.click("Select: tea")
	b.click("Select: ramen")
	b.shows(".selection", "Selected: 2")
	js[any](b, `document.querySelector(".selection input").focus(); null`)
	b.run(insert("food"))
	b.click("Add the tag")
	b.shows(".notice", "Changed: 2")
	p.wants(`"tags":["old","food"]`, "memo", "get", "tea")
	p.wants(`"tool":"edit_memo","records":2`, "history", "--limit", "1", "--fields", "changes.tool,changes.records")
	b.click("Undo")
	b.shows(".notice", "Undone")
	p.wants(`"tags":["old"]`, "memo", "get", "tea")
	p.wants(`"tags":["old"]`, "memo", "get", "ramen")
	b.click("Select")
	b.click("Select: trip")
	b.click("Select: tea")
	js[any](b, `document.querySelector(".selection .danger").click(); null`)
	b.hides(".memo", "trip")
	b.click("Undo")
	b.shows(".memo", "trip")
	p.wants(`"total":3`, "memo", "list")

	b.visit("todos?status=all", "To-dos")
	b.click("Select")
	for _, name := range []string{"tea", "ramen", "trip"} {
		b.click("Select: Buy " + name)
	}
	b.click("Mark as done")
	b.shows(".notice", "Changed: 2") // one was done already
	p.wants(`"total":0`, "todo", "list")
	b.click("Undo")
	b.shows(".notice", "Undone")
	p.wants(`"total":2`, "todo", "list")

	b.visit("memories", "Memories")
	b.click("Select")
	b.shows(".windowed [role=checkbox]", "tea")
	js[any](b, `document.querySelector(".windowed [role=checkbox]").focus(); null`)
	b.run(chromedp.KeyEvent(" "))
	js[any](b, `document.querySelectorAll(".windowed [role=checkbox]")[2].click(); null`)
	b.shows(".selection", "Selected: 2")
	js[any](b, `document.querySelector(".selection .danger").click(); null`)
	b.shows("main", "1 memory")
	b.click("Undo")
	b.shows("main", "3 memories")
	b.clean()
}
