package page_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdp "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"techo/internal/testenv"
)

// imports gives a file to the import of the page, tries it and imports it.
func (b *browser) imports(path, would, left, imported string) {
	b.t.Helper()
	b.run(chromedp.SetUploadFiles("input[type=file]", []string{path}, chromedp.ByQuery))
	b.eventually(`!document.querySelector(".report")`)
	b.click("Try it")
	b.shows(".report", "Nothing was imported yet")
	b.shows(".report dl", would)
	b.shows(".report", left)
	b.click("Import")
	b.shows(".report", "The file is imported")
	b.shows(".report dl", imported)
	b.shows(".report", left)
}

// TestBrowserTransfer exports memories, memos and a calendar, and imports files after a dry run: the
// report names all that it leaves out. The same browser changes settings and shows the calendar on a phone.
func TestBrowserTransfer(t *testing.T) {
	p := newPerson(t)
	p.techo("", "memory", "add", "Max is a <b>dog</b>.")
	p.techo("", "memo", "add", "tea", "green", "--priority", "3")
	p.techo("", "cal", "create", "Lunch", "2026-11-20 12:00")
	p.techo("", "todo", "add", "Pay rent", "--due", "2026-11-30")
	b := p.open()
	dir := t.TempDir()
	b.run(cdp.SetDownloadBehavior(cdp.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir).
		WithBrowserContextID(chromedp.FromContext(b.ctx).BrowserContextID))
	b.visit("store", "Store")
	for button, want := range map[string][2]string{
		"Memories (.jsonl)": {"techo-memories-2026-11-20.jsonl", "Max is a <b>dog</b>."},
		"Memos (.jsonl)":    {"techo-memos-2026-11-20.jsonl", `"name":"tea"`},
		"Calendar (.ics)":   {"techo-default-2026-11-20.ics", "SUMMARY:Lunch"},
	} {
		b.click(button)
		testenv.Eventually(t, func() bool {
			content, err := os.ReadFile(filepath.Join(dir, want[0]))
			return err == nil && strings.Contains(string(content), want[1])
		})
	}
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	b.imports(filepath.Join(dir, "techo-memories-2026-11-20.jsonl"), "Existing1", "", "Existing1")
	lines := strings.Repeat(`{"full_text":"The train of the line `+strings.Repeat("long ", 4000)+`"}`+"\n", 60)
	b.imports(write("many.jsonl", `{"full_text":"Momo is a cat."}`+"\n"+lines+"{broken\n"), "Would be imported2",
		"line 62", "Imported2")
	p.wants(`"total":3`, "memory", "list")
	b.imports(write("more.jsonl", `{"name":"ramen","content":"x","priority":9}`+"\n"+
		`{"name":"soup","content":"x","priority":2}`), "Would be imported1", "line 1", "Imported1")
	p.wants(`"total":2`, "memo", "list")
	b.imports(write("a.ics", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:<i>Walk</i>\r\n"+
		"DTSTART:20261121T100000Z\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:2\r\nDTSTART:never\r\nEND:VEVENT\r\n"+
		"END:VCALENDAR\r\n"), "Would be imported1", "line", "Imported1")
	p.wants(`<i>Walk</i>`, "cal", "list", "2026-11-21")
	b.imports(write("old.ics", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:3\r\nSUMMARY:Caf\xe9 \xe0 deux\r\n"+
		"DTSTART:20261128T120000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"), "Would be imported1", "windows-1252", "Imported1")
	p.wants(`Café à deux`, "cal", "list", "2026-11-28")
	large := write("large.jsonl", "")
	if err := os.Truncate(large, 25<<20); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.SetUploadFiles("input[type=file]", []string{large}, chromedp.ByQuery))
	b.click("Import")
	b.shows(".problem", "25.0 MiB; the page takes at most 24.0 MiB")
	b.shows(".problem .hint", "techo import memories FILE")
	b.settings(p)
	b.lists(p)
	b.clean()
}

// settings changes a setting, takes the change back, and offers no others.
func (b *browser) settings(p *person) {
	b.t.Helper()
	b.visit("settings", "Settings")
	b.fill("Working hours", "25:00-26:00")
	b.click("Save: Working hours")
	b.shows(".problem", "must be hours")
	b.fill("Working hours", "10:00-17:00")
	b.click("Save: Working hours")
	b.shows(".setting", "Kept in a file")
	p.wants(`"value":"10:00-17:00"`, "config", "get", "working-hours")
	b.click("Use the default: Working hours")
	b.eventually(`document.querySelector("main").textContent.includes("Kept in a file") === false`)
	p.wants(`"from":"default"`, "config", "get", "working-hours")
	b.shows(".setting", "TECHO_STORE")
	b.shows(".setting code", "techo config set root …")
	n := js[int](b, `[...document.querySelectorAll(".setting")].filter((e) =>
		/store|root|answer|browser/.test(e.querySelector("h3")?.textContent) && e.querySelector("form")).length`)
	if n > 0 {
		b.t.Errorf("%d settings that widen have a form", n)
	}
}

// lists shows a week and a month on a phone as lists, with whole titles.
func (b *browser) lists(p *person) {
	b.t.Helper()
	p.techo("", "cal", "create", "Call with the office in Kyoto about the spring", "2026-11-20 14:30", "--end", "15:00")
	p.techo("", "cal", "create", "Night shift", "2026-11-20 22:00", "--end", "2026-11-21 06:00")
	p.techo("", "cal", "create", "Holiday", "2026-11-19", "--end", "2026-11-20")
	b.run(chromedp.EmulateViewport(320, 700))
	b.visit("calendar?view=week", "Calendar")
	b.shows(".day.today", "14:30–15:00Call with the office in Kyoto about the spring")
	b.shows(".day.today", "all dayHoliday")
	b.shows(".day.today", "22:00–…Night shift")
	b.shows(".day", "…–06:00Night shift")
	b.shows("h2", "Mon, Nov 16 to Sun, Nov 22")
	b.visit("calendar?view=month", "Calendar")
	b.shows(".marks [aria-pressed=true]", "20")
	b.click("Saturday, November 21, 2026, 2 entries")
	b.shows(".day", "Night shift")
	b.click("Sunday, November 22, 2026, 0 entries")
	b.shows(".day", "Nothing on this day.")
	b.click("Later")
	b.shows("h2", "December 2026")
	b.run(chromedp.EmulateViewport(1180, 860))
	b.shows(".fc-daygrid", "")
}
