package page_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"techo/internal/testenv"
)

// center returns the middle of the first element with a text, in the window, when it has
// stopped moving.
func (b *browser) center(selector, text string) (x, y float64) {
	b.t.Helper()
	b.shows(selector, text)
	at := js[[]float64](b, fmt.Sprintf(`(async () => {
		const place = () => {
			const e = [...document.querySelectorAll(%s)].find((e) => e.textContent.includes(%s));
			e?.scrollIntoView({ block: "center" });
			const r = e?.getBoundingClientRect() ?? {};
			return [r.x + r.width / 2, r.y + r.height / 2];
		};
		for (let before = [];;) {
			const now = place();
			if (now.join() === before.join()) return now;
			before = now;
			await new Promise((done) => setTimeout(done, 100));
		}
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
	b.shows(".notice", "at the same time: Review")
	p.wants(`"start":"2026-11-19T11:00:00+09:00"`, "cal", "list", "2026-11-19", "--query", "Dentist")
	b.click("Undo")
	b.shows(".notice", "Undone")
	p.wants(`"start":"2026-11-18T11:00:00+09:00"`, "cal", "list", "2026-11-18", "--query", "Dentist")
	b.click("Redo")
	b.shows(".notice", "Redone")
	p.wants(`"start":"2026-11-19T11:00:00+09:00"`, "cal", "list", "2026-11-19", "--query", "Dentist")
	b.click("Undo")
	b.shows(".notice", "Undone")

	// A change by others makes the drag fail; the event returns.
	b.shows(".fc-event", "Yoga")
	b.click("private")
	b.hides(".fc-event", "Yoga")
	b.click("private")
	b.shows(".fc-event", "Yoga")

	// The keyboard opens an event and changes its times.
	js[any](b, `[...document.querySelectorAll(".fc-event")].find((e) => e.textContent.includes("Yoga")).focus(); null`)
	p.techo("", "cal", "create", "Lunch", "2026-11-19 13:00") // draws all events anew
	b.shows(".fc-event", "Lunch")
	b.eventually(`document.activeElement.textContent.includes("Yoga")`)
	b.run(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter)) // a key that is held down
	b.shows("dialog", "private")
	b.click("Edit")
	b.fillDate("From", "2026-11-17T18:30")
	b.focus("To") // which keeps the length
	b.holds("2026-11-17T19:30")
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
	b.focus("From")
	b.holds("2026-11-20T11:00") // the next hour of today
	b.fillDate("From", "2026-11-20T12:00")
	b.focus("To")
	b.holds("2026-11-20T13:00")
	b.focus("Time zone")
	b.holds("")
	b.click("Add")
	b.closes()
	b.shows(".fc-event", "Lunch")
	b.click("New event") // of another zone, which is shown
	b.fill("Title", "Call")
	b.fillDate("From", "2026-11-20T09:00")
	b.fillDate("To", "2026-11-20T10:00")
	b.choose("Time zone", "America/New_York")
	b.click("Add")
	b.closes()
	call := p.ids("events.event_id", "cal", "list", "2026-11-20", "--query", "Call")[0]
	p.wants(`"start":"2026-11-20T23:00:00+09:00","end":"2026-11-21T00:00:00+09:00"`, "cal", "get", call)
	b.visit("calendar/"+call, "Calendar")
	b.shows("dialog", "America/New_York")
	b.click("Edit") // on the clock of its zone
	b.focus("Time zone")
	b.holds("America/New_York")
	b.focus("From")
	b.holds("2026-11-20T09:00")
	b.fillDate("From", "2026-11-20T10:00")
	b.click("Save")
	b.closes()
	p.wants(`"start":"2026-11-21T00:00:00+09:00","end":"2026-11-21T01:00:00+09:00"`, "cal", "get", call)
	p.wants(`"event_timezone":"America/New_York"`, "cal", "get", call)
	b.visit("calendar?view=month", "Calendar")
	b.shows("h2", "November 2026")
	b.click("Later")
	b.shows("h2", "December 2026")
	if link := js[string](b, "location.hash"); !strings.Contains(link, "date=2026-12-01") {
		t.Errorf("the link is %s", link)
	}
	// A record is opened over the month, which stays.
	p.techo("", "cal", "create", "Skating", "2027-02-09 15:00", "--repeat", "monthly on the second tuesday")
	p.techo("", "todo", "add", "Sharpen the skates", "--due", "2027-02-08")
	b.visit("calendar?view=month&date=2027-02-01", "Calendar")
	for row, dialog := range map[string]string{"Skating": "every month on the 2nd Tue", "Sharpen": "Mark as done"} {
		b.shows(".fc-event", row)
		js[any](b, `[...document.querySelectorAll(".fc-event")].find((e) => e.textContent.includes("`+row+`")).click(); null`)
		b.shows("dialog", dialog)
		b.shows("h2", "February 2027")
		b.click("Close")
		b.closes()
		b.eventually(`location.hash.includes("date=2027-02-01") && location.hash.includes("view=month")`)
	}
	// A week within the month has its events already; they open over the week.
	b.visit("calendar?view=month&date=2027-02-09", "Calendar")
	b.shows(".fc-event", "Skating")
	b.click("Week")
	b.eventually(`Boolean(document.querySelector(".fc-timegrid-event"))`)
	js[any](b, `document.querySelector(".fc-timegrid-event").click(); null`)
	b.shows("dialog", "Skating")
	b.eventually(`location.hash.includes("view=week")`)
	b.click("Close")
	b.closes()
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
	b.run(chromedp.KeyEvent(kb.Escape))
	b.closes()
	b.shows(`[data-date="2026-11-17"] .fc-event`, "Standup")
	p.wants(`"count":1`, "cal", "list", "2026-11-17")
	x, y = b.center(".fc-event", "Standup")
	b.run(drag(x, y, x+day, y))
	b.shows("dialog h2", "Move a repeating event")
	b.click("Only this one")
	b.shows(".notice", "Standup")
	p.wants(`"count":1`, "cal", "list", "2026-11-18")
	p.wants(`"count":1`, "cal", "list", "2026-11-20")
	b.clean()
}

// TestBrowserDragLive moves an event while another program adds one: the calendar is drawn
// again after the move only. An event that is dropped outside can be dragged again at once.
func TestBrowserDragLive(t *testing.T) {
	p := newPerson(t)
	p.techo("", "cal", "create", "Dentist", "2026-11-18 11:00")
	b := p.open()
	b.visit("calendar", "Calendar")
	b.visit("today", "Today")
	b.visit("calendar", "Calendar")
	x, y := b.center(".fc-event", "Dentist")
	day := js[float64](b, `document.querySelector(".fc-timegrid-col[data-date]").getBoundingClientRect().width`)
	b.run(lift(x, y), carry(x, y, x+day/2, y))
	answers := b.answersOf("list_events")
	p.techo("", "cal", "create", "Lunch", "2026-11-18 13:00")
	testenv.Eventually(t, func() bool { return answers.Load() > 0 })
	b.run(chromedp.Sleep(200 * time.Millisecond)) // the page could draw now
	if js[bool](b, `document.querySelector("main").textContent.includes("Lunch")`) {
		t.Error("the calendar is drawn again during a drag")
	}
	b.run(carry(x+day/2, y, x+day, y), drop(x+day, y))
	b.shows(".notice", "Dentist")
	b.shows(".fc-event", "Lunch")
	p.wants(`"start":"2026-11-19T11:00:00+09:00"`, "cal", "list", "2026-11-19", "--query", "Dentist")
	if n := js[int](b, `[...document.querySelectorAll(".fc-event")].filter((e) =>
		e.textContent.includes("Dentist")).length`); n != 1 {
		t.Errorf("the event is shown %d times", n)
	}
	x, y = b.center(".fc-event", "Dentist")
	moved := b.answersOf("update_event")
	b.run(drag(x, y, 3, y)) // no time is at the left edge
	x, y = b.center(".fc-event", "Dentist")
	b.run(drag(x, y, x-day, y))
	b.shows(`[data-date="2026-11-18"] .fc-event`, "Dentist")
	testenv.Eventually(t, func() bool { return moved.Load() > 0 })
	p.wants(`"count":1`, "cal", "list", "2026-11-18", "--query", "Dentist")
	b.clean()
}

// answersOf counts the answers to calls of a tool from now on.
func (b *browser) answersOf(tool string) *atomic.Int64 {
	b.t.Helper()
	answers := new(atomic.Int64)
	chromedp.ListenTarget(b.ctx, func(event any) {
		if r, ok := event.(*network.EventResponseReceived); ok && strings.HasSuffix(r.Response.URL, "/tools/"+tool) {
			answers.Add(1)
		}
	})
	b.run(network.Enable())
	return answers
}
