package page_test

import "testing"

// TestBrowserSpaces shows and changes the records of a shared space, beside the person's own and alone.
func TestBrowserSpaces(t *testing.T) {
	p := newPerson(t)
	p.techo("", "space", "create", "team")
	p.techo("", "memory", "add", "The fridge of the team is blue.", "--space", "team")
	p.techo("", "memory", "add", "My fridge is <b>red</b>.")
	p.techo("", "memo", "add", "milk", "Milk is in the fridge", "--priority", "3", "--space", "team")
	p.techo("", "todo", "add", "Clean the fridge", "--due", "2026-11-20", "--space", "team")
	p.techo("", "cal", "create", "Fridge party", "2026-11-20 15:00", "--space", "team")
	b := p.open()

	b.choose("Space", "team")
	b.hides(".changes", "My fridge")
	b.choose("Space", "")

	// The person's own view has the calendars of the space, and undoes changes there.
	b.shows(".todo", "team/default")
	b.click("Done: Clean the fridge")
	b.hides(".todo", "fridge")
	b.click("Undo")
	b.shows(".todo", "Clean the fridge")
	b.visit("calendar?view=day", "Calendar")
	b.shows(".fc-event", "Fridge party")
	b.click("team/default")
	b.hides(".fc-event", "Fridge party")
	b.visit("search?q=fridge", "Search")
	b.shows(".results", "My fridge is <b>red</b>.")
	b.shows(".results", "Fridge party")
	b.click("milk")
	b.shows("dialog h2", "Edit the memo")
	b.fill("Content", "Milk is in the blue fridge")
	b.click("Save")
	b.closes()
	p.wants("blue fridge", "memo", "get", "milk", "--space", "team")

	// The space alone.
	b.choose("Space", "team")
	b.eventually(`location.hash.endsWith("?in=team")`)
	b.visit("memories?in=team", "Memories")
	b.shows(".windowed", "blue")
	b.hides(".windowed", "red")
	b.click("New memory")
	b.fill("Text", "The code of the team's door is secret.")
	b.click("Add")
	b.shows("article .facts", "team")
	p.wants(`"total":2`, "memory", "list", "--space", "team")
	b.click("Remove")
	b.hides("main", "door")
	b.click("Undo")
	b.shows(".windowed", "door")
	p.wants(`"total":2`, "memory", "list", "--space", "team")
	b.click("Today")
	b.shows(".agenda", "Fridge party")
	b.choose("Space", "")
	b.visit("memories", "Memories")
	b.shows(".windowed", "red")
	b.visit("memories?in=nowhere", "Memories")
	b.shows(".problem", "nowhere")
	b.clean()
}
