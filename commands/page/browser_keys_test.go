package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserKeys searches everything, goes from view to view, and adds an event with all its
// fields, by keys.
func TestBrowserKeys(t *testing.T) {
	p := newPerson(t)
	p.techo("", "memo", "add", "tea", "Aiko likes <i>green</i> tea", "--priority", "3")
	p.techo("", "memory", "add", "Aiko moved to Kyoto in spring.")
	p.techo("", "todo", "add", "Call Aiko", "--due", "2026-11-23")
	p.techo("", "todo", "add", "Write to Aiko", "--due", "2026-11-23")
	p.techo("", "todo", "add", "Some day")
	p.techo("", "cal", "create", "Lunch with Aiko", "2026-12-03 12:00")
	b := p.open()
	press := func(keys string) { b.run(chromedp.KeyEvent(keys)) }
	b.searches()
	press("?")
	b.shows("dialog .keys", "Search everything")
	press(kb.Escape)
	b.closes()
	press("gd")
	b.shows("h1", "To-dos")
	b.shows(".todo", "Call Aiko")
	press("j")
	press(kb.Enter)
	b.shows("dialog h2", "Call Aiko")
	press(kb.Escape)
	b.closes()
	b.eventually(`document.activeElement.textContent.includes("Call Aiko")`)
	js[any](b, `document.querySelector(".todo input").focus(); null`)
	press(" ") // the row goes, and the keyboard stays in the list
	b.hides(".todo", "Call Aiko")
	b.eventually(`document.activeElement.getAttribute("aria-label") === "Done: Write to Aiko"`)
	b.shows(".notice-place[role=status]", "Done: Call Aiko")
	press(" ") // its section goes with it
	b.hides(".todo", "Write to Aiko")
	b.eventually(`document.activeElement.getAttribute("aria-label") === "Done: Some day"`)

	press("gc")
	b.shows("h1", "Calendar")
	press("n")
	b.shows("dialog h2", "New event")
	b.fill("Title", "Review/n?")
	b.fillDate("From", "2026-11-20T12:00")
	b.fillDate("To", "2026-11-20T13:00")
	b.choose("Repeats", "weekly")
	b.fill("Alarms", "10m, 1d")
	b.fill("Guests", "aiko@example.com")
	b.click("Add")
	b.closes()
	p.wants(`"RRULE:FREQ=WEEKLY"`, "cal", "list", "2026-11-20")
	p.wants(`aiko@example.com`, "cal", "list", "2026-11-27")
	b.shows(".fc-event", "Review/n?")
	js[any](b, `[...document.querySelectorAll(".fc-event")].find((e) => e.textContent.includes("/n?")).click(); null`)
	b.click("Edit")
	b.choose("Change", "all")
	b.fill("Guests", "aiko@example.com, ken@example.com")
	b.click("Save")
	b.closes()
	p.wants(`ken@example.com`, "cal", "list", "2026-11-27")
	b.clean()
}

// searches finds records of all kinds by the key / and opens two of them.
func (b *browser) searches() {
	b.t.Helper()
	press := func(keys string) { b.run(chromedp.KeyEvent(keys)) }
	press("go")
	b.shows("h1", "Memos")
	press("/")
	b.shows("h1", "Search")
	b.eventually(`document.activeElement.type === "search"`)
	b.run(insert("Aiko"))
	for title, hit := range map[string]string{"Memories": "Aiko moved to Kyoto", "Memos": "<i>green</i>",
		"To-dos": "Call Aiko", "Events": "Lunch with Aiko"} {
		b.eventually(`[...document.querySelectorAll("section")].some((s) => s.querySelector("h2").textContent === ` +
			quote(title) + ` && s.querySelector("li a").textContent.includes(` + quote(hit) + `))`)
	}
	b.click("Lunch with Aiko")
	b.shows("dialog h2", "Lunch with Aiko")
	// A busy browser handles Escape and the next key before it reports that the dialog is closed.
	js[any](b, `{ const d = document.querySelector("dialog[open]"); d.dispatchEvent(new Event("cancel")); d.close();
		window.dispatchEvent(new KeyboardEvent("keydown", { key: "/" })); } null`)
	b.eventually(`document.activeElement.type === "search"`)
	b.run(insert("Kyoto"))
	b.shows(".results", "Kyoto")
	js[any](b, "document.activeElement.blur(); null")
	press("j")
	press(kb.Enter)
	b.shows("article h2", "Aiko moved to Kyoto")
	b.eventually(`document.activeElement.textContent === "Aiko moved to Kyoto in spring." &&
		document.title.startsWith("Aiko moved to Kyoto")`)
}
