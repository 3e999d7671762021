package page_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserReview decides what waits about memories, one button each, and takes it back.
func TestBrowserReview(t *testing.T) {
	p := newPerson(t)
	for _, line := range [][]string{
		{"The office is in Berlin.", "--created-at", "2026-10-02"},
		{"The office moved to Munich."},
		{"Tanaka's dog is called Max.", "--created-at", "2026-10-03"},
		{"The name of Tanaka's dog is Max."},
		{"Kato likes <img src=x onerror=window.hacked=1> green tea.", "--created-at", "2026-01-02"},
	} {
		p.techo("", append([]string{"memory", "add"}, line...)...)
	}
	b := p.open()
	b.shows("main", "Waiting decisions: 3")
	b.click("Review")
	b.shows("h1", "Review")
	b.shows(".decision:nth-of-type(1)", "They are about the same matter: do all of them hold?")
	b.shows(".decision li:first-child", "The office moved to Munich.")
	b.shows(".decision", "<img src=x onerror=window.hacked=1>")
	b.inert("review")
	p.decides(b)
	b.visit("today", "Today")
	b.shows("main", "Waiting decisions: 1")
	b.visit("review?kind=unconfirmed", "Review")
	b.click("Remove")
	b.hides(".decision", "Kato")
	p.wants(`"total":0`, "memory", "search", "green tea", "--fields", "total")
	b.visit("review", "Review")
	b.shows(".empty", "Nothing is to be decided")
	b.clean()
}

// decides takes one decision back and repeats it by keys, and takes the other ones.
func (p *person) decides(b *browser) {
	p.t.Helper()
	total := func(n string) { p.wants(`"total":`+n, "memory", "review") }
	b.click("Only the first one is true")
	b.hides(".decision", "Max")
	total("2")
	b.click("Undo")
	b.shows(".decision", "Max")
	total("3")
	b.run(chromedp.KeyEvent("j"))
	b.eventually(`document.activeElement.textContent.includes("Keep both")`)
	b.run(chromedp.KeyEvent("\r"))
	b.hides(".decision", "Max")
	b.click("Join them")
	b.hides(".decision", "Berlin")
	b.shows(".notice", "Memories merged")
	total("1")
	// The decisions are in the history as the person's, by the page.
	history := p.techo("", "history", "--limit", "1")
	if !strings.Contains(history, `"by":"tanaka","client":"page"`) || !strings.Contains(history, "merge_memories") {
		p.t.Errorf("not the person's: %s", history)
	}
}
