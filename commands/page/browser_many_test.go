package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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
	for range 20 { // a row that scrolls out of view loses the focus
		js[any](b, `document.querySelector(".windowed li a").focus(); null`)
		b.run(chromedp.KeyEvent(kb.Home), chromedp.Sleep(200*time.Millisecond))
		if js[bool](b, `document.activeElement.textContent.startsWith("Fact 9999:")`) {
			break
		}
	}
	b.eventually(`document.activeElement.textContent.startsWith("Fact 9999:")`)
	b.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	b.eventually(`document.activeElement.textContent.startsWith("Fact 9997:")`)
	b.fill("Search", "Fact 4321")
	b.shows(".results li:first-child", "Fact 4321")
	b.clean()
}

// TestBrowserComposition types with an input method: what is being composed is neither
// searched for nor submitted by the Enter that ends the composition.
func TestBrowserComposition(t *testing.T) {
	p := newPerson(t)
	p.techo("", "memory", "add", "犬のマックスは雷が苦手。")
	ask := p.agent()
	ask("名前は？")
	b := p.open()
	b.visit("memories", "Memories")
	b.shows(".windowed", "犬のマックス")
	b.focus("Search")
	b.run(compose("いぬ"))
	if link := js[string](b, "location.hash"); link != "#/memories" {
		t.Errorf("a composition is searched for: %s", link)
	}
	b.run(chromedp.ActionFunc(insertDog))
	for range 5 { // a rendering during the composition can end it
		b.run(chromedp.Sleep(time.Second))
		if js[bool](b, `Boolean(document.querySelector(".results mark"))`) {
			break
		}
		b.fill("Search", "")
		b.focus("Search")
		b.run(compose("いぬ"), chromedp.ActionFunc(insertDog))
	}
	b.shows(".results mark", "犬")

	b.visit("questions", "Questions")
	b.focus("Answer")
	b.run(compose("もも"))
	js[any](b, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229,
		isComposing: true, bubbles: true, cancelable: true })); null`)
	p.wants(`"count":1`, "ask", "list")
	b.clean()
}
