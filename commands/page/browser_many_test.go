package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"techo/internal/testenv"
)

// TestBrowserMany scrolls and searches 10,000 memories. The document has the rows in view only.
func TestBrowserMany(t *testing.T) {
	p := newPerson(t)
	var lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&lines, `{"full_text":"Fact %d: the train to platform %d leaves at gate %d.","created_at":`+
			`"2026-01-%02dT%02d:%02d:00Z"}`+"\n", i, i%97, i%13, 1+i/1440, i/60%24, i%60)
	}
	p.techo(lines.String(), "import", "memories", "-")
	b := p.open()
	b.visit("memories", "Memories")
	b.shows("main", "10000 memories")
	b.shows(".windowed", "Fact 9999:")
	rows := `document.querySelectorAll(".windowed li").length`
	for _, part := range []string{"0.3", "0.7", "1"} {
		js[any](b, `{ const w = document.querySelector(".windowed"); w.scrollTop = w.scrollHeight * `+part+`; } null`)
		b.eventually(`[...document.querySelectorAll(".windowed li")].every((li) => li.textContent)`)
		if n := js[int](b, rows); n == 0 || n > 60 {
			t.Errorf("%d rows at %s", n, part)
		}
	}
	b.shows(".windowed", "Fact 0:")
	js[any](b, `document.querySelector(".windowed li a").focus(); null`)
	b.run(chromedp.KeyEvent(kb.Home))
	b.eventually(`document.activeElement.textContent.startsWith("Fact 9999:")`)
	b.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	b.eventually(`document.activeElement.textContent.startsWith("Fact 9997:")`)
	// A row that is scrolled out of view keeps the focus, also when other programs change something.
	js[any](b, `document.querySelector(".windowed").scrollTop = 300_000; null`)
	b.shows(".windowed", "Fact 5000:")
	answers := b.answersOf("list_memory")
	p.techo("", "memory", "add", "Fact 10000: a new one")
	testenv.Eventually(t, func() bool { return answers.Load() > 0 })
	b.shows("main", "10001 memories")
	b.run(chromedp.KeyEvent(kb.ArrowDown))
	b.eventually(`document.activeElement.textContent.startsWith("Fact 9997:")`) // the next one after the new one
	if n := js[int](b, rows); n > 60 {
		t.Errorf("%d rows", n)
	}
	b.fill("Search", "Fact 4321")
	b.shows(".results li:first-child", "Fact 4321")
	b.clean()
}
