package page_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"techo/internal/testenv"
)

var update = flag.Bool("update", false, "write the pictures of the documentation")

var titles = []struct{ view, en, ja string }{
	{"today", "Today", "今日"}, {"search", "Search", "検索"},
	{"questions", "Questions", "質問"}, {"todos", "To-dos", "タスク"},
	{"memories", "Memories", "記憶"}, {"review", "Review", "見直し"},
	{"memos", "Memos", "メモ"}, {"calendar", "Calendar", "予定表"}, {"changes", "Changes", "変更履歴"},
	{"store", "Store", "ストア"}, {"settings", "Settings", "設定"},
}

// seed fills the store with something for every view.
func (p *person) seed() {
	p.t.Helper()
	for _, line := range [][]string{
		{"memo", "add", "ramen", "Tanaka likes ramen, best without egg", "--priority", "5", "--tag", "food"},
		{"memo", "add", "連絡", "平日の連絡はメールで、急ぎの用件だけ電話にする",
			"--priority", "4", "--tag", "work"},
		{"memo", "add", "trip", "Kyoto in April, two nights", "--priority", "3", "--tag", "travel", "--detail",
			"- a hotel near the station\n- **no** early trains"},
		{"memo", "add", "tea", "Green tea in the afternoon", "--priority", "3", "--tag", "food"},
		{"memory", "add", "Tanaka has a golden retriever named Max. He got him in 2023, from a shelter in Chiba.",
			"--session", "walk"},
		{"memory", "add", "犬のマックスは雷が苦手。花火の日は、散歩を早めに済ませる。",
			"--session", "walk"},
		{"memory", "add", "The release has three parts:\n\n1. freeze `main`\n2. run the *long* tests\n3. tag\n\n" +
			"| step | who |\n|---|---|\n| freeze | Aiko |", "--session", "release", "--topic", "release"},
		{"memory", "add", "The office is in Berlin.", "--created-at", "2026-03-02"},
		{"memory", "add", "The office moved to Munich, next to the station.", "--session", "release"},
		{"cal", "create", "Review with Aiko", "2026-11-20 14:00", "--end", "15:30", "--location", "Room 2"},
		{"cal", "create", "歯医者", "2026-11-18 11:00"},
		{"cal", "create", "Standup", "2026-11-16 09:30", "--end", "09:45", "--recurrence",
			"RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"},
		{"cal", "create", "Autumn holiday", "2026-11-20", "--end", "2026-11-21"},
		{"cal", "create", "Yoga", "2026-11-19 12:00", "--calendar", "private"},
		{"cal", "hold", "Interview", "--slot", "2026-11-20T16:00/60m", "--slot", "2026-11-21T10:00/60m", "--expires",
			"48h"},
		{"todo", "add", "Send the report to Aiko", "--due", "2026-11-19", "--priority", "1", "--category", "work"},
		{"todo", "add", "Water the plants", "--due", "2026-11-20 18:00", "--repeat", "every 2 weeks on fri"},
		{"todo", "add", "Read the new guide"},
		{"cal", "create", "Call with the office in Kyoto about the spring", "2026-11-20 14:30", "--end", "15:00"},
		{"memo", "edit", "ramen", "--content", "Tanaka likes ramen, best with an egg"},
	} {
		p.techo("", line...)
	}
	const long = "A title of many words, which somebody copied from a letter about the planning of the next year " +
		"with all of its parts and people"
	for _, line := range [][]string{
		{"cal", "create", long, "2026-11-17", "--end", "2026-11-19"},
		{"cal", "create", long, "2026-11-18 15:00"},
		{"todo", "add", long, "--due", "2026-11-19"},
		{"cal", "create", "Short call", "2026-11-16 13:00", "--end", "13:45"},
		{"cal", "create", "Night train to Vienna", "2026-11-18 21:30", "--end", "2026-11-19 06:30"},
		{"cal", "create", "Crowded one", "2026-11-21 12:00"}, {"cal", "create", "Crowded two", "2026-11-21 12:00"},
		{"cal", "create", "Crowded three", "2026-11-21 12:15"}, {"cal", "create", "Crowded four", "2026-11-21 12:30"},
		{"cal", "create", "Crowded five", "2026-11-21 12:30"},
	} {
		p.techo("", line...)
	}
	var memos, memories strings.Builder
	for i := range 200 {
		fmt.Fprintf(&memos, `{"name":"memo %d","content":"%s %d","priority":%d}`+"\n", i, long[:30+i%80], i, 1+i%2)
	}
	for i := range 5000 {
		fmt.Fprintf(&memories, `{"full_text":"Fact %d: %s","created_at":"2025-%02d-%02dT10:00:00Z"}`+"\n", i, long[:20+i%90],
			1+i%12, 1+i%28)
	}
	p.techo(memos.String(), "import", "memos", "-")
	p.techo(memories.String(), "import", "memories", "-")
	ask := p.agent()
	ask("Which of the two plans for the office shall I send to everyone? "+long, "")
	ask("Delete the logs of last year? They take 2.1 GB.", `,"options":["Delete them","Keep them"]`)
}

// TestBrowserViews opens every view in both languages, in four widths, light and dark, and checks
// the layout of each, and in the widest window and on a phone each with axe.
func TestBrowserViews(t *testing.T) {
	p := newPerson(t)
	p.seed()
	b := p.open()
	rules := axe(t)
	chromedp.ListenTarget(b.ctx, func(event any) {
		if e, ok := event.(*network.EventResponseReceived); ok && e.Response.Status >= 400 {
			b.fault("%d: %s", e.Response.Status, e.Response.URL)
		}
	})
	b.run(network.Enable())
	b.run(chromedp.ActionFunc(emulation.SetTimezoneOverride("America/New_York").Do)) // shown in the zone of --tz
	views := append([]struct{ view, en, ja string }{}, titles...)
	id := p.ids("memories.id", "memory", "list")[0]
	event := p.ids("events.event_id", "cal", "list", "2026-11-20", "--query", "Review")[0]
	views = append(views, struct{ view, en, ja string }{"memories/" + id, "Memories", "記憶"},
		struct{ view, en, ja string }{"memories?q=Tanaka", "Memories", "記憶"},
		struct{ view, en, ja string }{"search?q=Aiko", "Search", "検索"},
		struct{ view, en, ja string }{"calendar/" + event, "Calendar", "予定表"},
		struct{ view, en, ja string }{"calendar?view=month", "Calendar", "予定表"},
		struct{ view, en, ja string }{"calendar?view=day", "Calendar", "予定表"},
		struct{ view, en, ja string }{"calendar?view=week", "Calendar", "予定表"})
	const nothing = "[]" // axe finds in the widths between what it finds in these, and takes most of the time
	for _, look := range []struct {
		name, en, ja string // the colours of each language
		width        int64
		rules        string
	}{{"wide", "light", "dark", 1280, rules}, {"middle", "dark", "light", 768, nothing},
		{"phone", "dark", "light", 390, rules}, {"small", "light", "dark", 320, nothing}} {
		for _, lang := range []string{"en", "ja"} {
			scheme := look.en
			if lang == "ja" {
				scheme = look.ja
			}
			b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}}),
				emulation.SetDeviceMetricsOverride(look.width, 860, 1, false))
			js[any](b, `{ const s = document.querySelector(".foot select"); s.value = "`+lang+`";
				s.dispatchEvent(new Event("change", { bubbles: true })); } null`)
			for _, v := range views {
				if v.view == usual(look.width) {
					continue // it is the calendar that opens first
				}
				title := v.en
				if lang == "ja" {
					title = v.ja
				}
				b.visit(v.view, title)
				b.checks(v.view, lang, look.name, look.rules)
			}
			if lang == "en" {
				b.forms(look.name, look.rules)
			}
		}
	}
	b.visit("today", "今日")
	b.shows(".agenda", "14:00–15:30")
	b.clean()
}

// usual returns the view of the calendar that a window opens first.
func usual(width int64) string {
	if width < 736 {
		return "calendar?view=day"
	}
	return "calendar?view=week"
}

// checks checks the layout of a view, and the view with axe.
func (b *browser) checks(view, lang, look, rules string) {
	b.t.Helper()
	b.eventually(`!document.querySelector(".loading, [aria-busy=true]")`)
	for _, fault := range js[[]string](b, layout) {
		b.t.Errorf("%s %s %s: %s", view, lang, look, fault)
	}
	for _, violation := range js[[]string](b, rules) {
		b.t.Errorf("%s %s %s: axe: %s", view, lang, look, violation)
	}
	b.picture(view, lang, look)
}

// forms checks the forms and an open change, in English.
func (b *browser) forms(look, rules string) {
	b.t.Helper()
	for _, form := range [][3]string{{"calendar", "Calendar", "New event"}, {"todos", "To-dos", "New to-do"},
		{"memos", "Memos", "New memo"}, {"memories", "Memories", "New memory"}} {
		b.visit(form[0], form[1])
		b.click(form[2])
		b.shows("dialog h2", form[2])
		b.checks(form[2], "en", look, rules)
		b.run(chromedp.KeyEvent(kb.Escape))
		b.closes()
	}
	b.dialogs(look, rules)
	b.visit("changes", "Changes")
	b.shows(".change", "ramen")
	js[any](b, `[...document.querySelectorAll(".change summary")].find((e) =>
		e.textContent.includes("changed the memo")).click(); null`)
	b.shows(".diff .line", "content")
	b.checks("changes open", "en", look, rules)
}

// dialogs checks the dialogs of records, and the keys, in English.
func (b *browser) dialogs(look, rules string) {
	b.t.Helper()
	for _, open := range []struct{ view, title, row, dialog, button, form string }{
		{"calendar?view=day", "Calendar", ".fc-event", "Standup", "Edit", "Edit the event"},
		{"todos", "To-dos", ".todo a", "Water the plants", "Edit", "Edit the to-do"},
		{"memories", "Memories", "main li a", "The office moved", "No longer true…", "What is true now?"},
		{"memories", "Memories", "main li a", "The release", "Edit", "Edit the memory"},
		{"memos", "Memos", ".memo button", "Edit", "", "Edit the memo"},
	} {
		b.visit(open.view, open.title)
		b.shows(open.row, open.dialog)
		js[any](b, `[...document.querySelectorAll("`+open.row+`")].find((e) =>
			e.textContent.includes("`+open.dialog+`")).click(); null`)
		if open.button != "" {
			b.shows("dialog h2, main article, main h2", open.dialog)
			b.checks(open.dialog, "en", look, rules)
			b.click(open.button)
		}
		b.shows("dialog h2", open.form)
		b.checks(open.form, "en", look, rules)
		b.run(chromedp.KeyEvent(kb.Escape))
		b.closes()
	}
	b.run(chromedp.KeyEvent("?"))
	b.shows("dialog h2", "Keys")
	b.checks("Keys", "en", look, rules)
	b.run(chromedp.KeyEvent(kb.Escape))
	b.closes()
	b.visit("todos", "To-dos")
	b.click("Select")
	b.shows(".selection", "")
	b.checks("select", "en", look, rules)
	b.run(chromedp.KeyEvent(kb.Escape))
}

// axe returns an expression that checks the page with axe-core, and has the violations.
func axe(t *testing.T) string {
	t.Helper()
	testenv.Tool(t, "npm")
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), "npm", "install", "--no-audit", "--no-fund", "--prefer-offline",
		"--fetch-retries=1", "axe-core@4.14.1")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		testenv.Missing(t, "axe-core from the package registry: "+string(out))
	}
	return axeIn(t, dir)
}

// axeIn is axe with the package that is installed in a folder.
func axeIn(t *testing.T, dir string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(dir, "node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return `if (!window.axe) {` + string(source) + `}
axe.run({ resultTypes: ["violations"] }).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html.slice(0, 200) + " " +
	n.failureSummary)))`
}

// picture writes a picture of the page to the folder in TECHO_TEST_PICTURES, and with
// -update those of the documentation.
func (b *browser) picture(view, lang, look string) {
	b.t.Helper()
	shown := map[string]string{"today en wide": "page-today", "calendar en wide": "page-calendar",
		"memories?q=Tanaka ja phone": "page-phone"}
	name, documented := shown[view+" "+lang+" "+look]
	dir := os.Getenv("TECHO_TEST_PICTURES")
	if dir == "" && !(*update && documented) {
		return
	}
	var png []byte
	b.run(chromedp.CaptureScreenshot(&png))
	write := func(path string) {
		if err := os.WriteFile(path, png, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	if *update && documented {
		write("../../docs/" + name + ".png")
	}
	if dir != "" {
		id := []byte(view + "-" + lang + "-" + look + ".png")
		for i, c := range id {
			if c == '/' || c == '?' || c == '=' || c == ' ' {
				id[i] = '_'
			}
		}
		write(filepath.Join(dir, string(id)))
	}
}
