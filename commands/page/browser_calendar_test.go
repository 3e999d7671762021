package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// center returns the middle of the first element with a text, in the window.
func (b *browser) center(selector, text string) (x, y float64) {
	b.t.Helper()
	b.shows(selector, text)
	at := js[[]float64](b, fmt.Sprintf(`(() => {
		const e = [...document.querySelectorAll(%s)].find((e) => e.textContent.includes(%s));
		e.scrollIntoView({ block: "center" });
		const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})()`, quote(selector), quote(text)))
	return at[0], at[1]
}

// TestBrowserCalendar adds, moves, edits, confirms and deletes events.
func TestBrowserCalendar(t *testing.T) {
	p := newPerson(t)
	p.techo("", "cal", "create", "Dentist", "2026-11-18 11:00")
	p.techo("", "cal", "create", "Review", "2026-11-19 11:00")
	p.techo("", "cal", "create", "Yoga", "2026-11-17 12:00", "--calendar", "private")
	p.techo("", "cal", "hold", "Interview", "--slot", "2026-11-20T16:00/60m", "--slot", "2026-11-21T10:00/60m",
		"--expires", "48h")
	b := p.open()
	b.visit("calendar", "Calendar")
	toX, _ := b.center(".fc-event", "Review")
	x, y := b.center(".fc-event", "Dentist")
	b.run(drag(x, y, toX, y))
	b.shows(".notice", "at this time there is: Review 11:00")
	p.wants(`"start":"2026-11-19T11:00:00+09:00"`, "cal", "list", "2026-11-19", "--query", "Dentist")
	b.click("Undo")
	b.shows(".notice", "Undid")
	p.wants(`"start":"2026-11-18T11:00:00+09:00"`, "cal", "list", "2026-11-18", "--query", "Dentist")

	// A change by others makes the drag fail; the event returns.
	b.shows(".fc-event", "Yoga")
	b.click("private")
	b.hides(".fc-event", "Yoga")
	b.click("private")
	b.shows(".fc-event", "Yoga")

	// The keyboard opens an event and changes its times.
	js[any](b, `[...document.querySelectorAll(".fc-event")].find((e) => e.textContent.includes("Yoga")).focus(); null`)
	b.run(chromedp.KeyEvent(kb.Enter))
	b.shows("dialog", "private")
	b.click("Edit")
	b.fillDate("From", "2026-11-17T18:30")
	b.fillDate("To", "2026-11-17T19:30")
	b.click("Save")
	b.closes()
	p.wants(`"start":"2026-11-17T18:30:00+09:00"`, "cal", "list", "2026-11-17", "--calendar", "private")

	held := p.ids("events.event_id", "cal", "list", "2026-11-20", "--query", "Interview")[0]
	b.visit("calendar/"+held, "Calendar")
	b.click("Confirm this time")
	b.closes()
	p.wants(`"count":0`, "cal", "list", "2026-11-21", "--query", "Interview")

	b.clean()
}

// TestBrowserMonth adds an event, moves through the months, and deletes the event.
func TestBrowserMonth(t *testing.T) {
	p := newPerson(t)
	b := p.open()
	b.visit("calendar", "Calendar")
	b.click("New event")
	b.fill("Title", "Lunch")
	b.fillDate("From", "2026-11-20T12:00")
	b.fillDate("To", "2026-11-20T13:00")
	b.click("Add")
	b.closes()
	b.shows(".fc-event", "Lunch")
	b.visit("calendar?view=month", "Calendar")
	b.shows("h2", "November 2026")
	b.click("Later")
	b.shows("h2", "December 2026")
	if link := js[string](b, "location.hash"); !strings.Contains(link, "date=2026-12-01") {
		t.Errorf("the link is %s", link)
	}
	b.visit("calendar?date=2026-11-20&view=day", "Calendar")
	b.shows(".fc-event", "Lunch")
	js[any](b, `[...document.querySelectorAll(".fc-event")].find((e) => e.textContent.includes("Lunch")).click(); null`)
	b.click("Delete")
	b.hides(".fc-event", "Lunch")
	b.clean()
}

// fillDate sets a field for a date or a time.
func (b *browser) fillDate(label, value string) {
	b.t.Helper()
	b.eventually(fmt.Sprintf("Boolean((%s)(%s))", field, quote(label)))
	js[any](b, fmt.Sprintf(`{ const f = (%s)(%s); f.value = %s;
		f.dispatchEvent(new Event("input", { bubbles: true })); } null`,
		field, quote(label), quote(value)))
}

// TestBrowserSeries moves one occurrence of a series after asking how much to move.
func TestBrowserSeries(t *testing.T) {
	p := newPerson(t)
	p.techo("", "cal", "create", "Standup", "2026-11-17 11:00", "--recurrence", "RRULE:FREQ=WEEKLY;BYDAY=TU,FR")
	b := p.open()
	b.visit("calendar", "Calendar")
	x, y := b.center(".fc-event", "Standup")
	day := js[float64](b, `document.querySelector(".fc-timegrid-col[data-date]").getBoundingClientRect().width`)
	b.run(drag(x, y, x+day, y))
	b.shows("dialog h2", "Move a repeating event")
	for range 20 { // the dialog may not have the focus yet
		b.run(chromedp.KeyEvent(kb.Escape), chromedp.Sleep(200*time.Millisecond))
		if !js[bool](b, `Boolean(document.querySelector("dialog[open]"))`) {
			break
		}
	}
	b.closes()
	p.wants(`"count":1`, "cal", "list", "2026-11-17")
	for range 20 { // a drag has no effect while the event moves back
		x, y = b.center(".fc-event", "Standup")
		b.run(drag(x, y, x+day, y), chromedp.Sleep(200*time.Millisecond))
		if js[bool](b, `Boolean(document.querySelector("dialog[open]"))`) {
			break
		}
	}
	b.click("Only this one")
	b.shows(".notice", "Standup")
	p.wants(`"count":1`, "cal", "list", "2026-11-18")
	p.wants(`"count":1`, "cal", "list", "2026-11-20")
	b.clean()
}
