package page_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// recordCalls records the calls of tools from now on. They are recorded in the page: the
// browser's own events may arrive after what they led to is shown.
func (b *browser) recordCalls() {
	b.t.Helper()
	js[any](b, `(() => {
		const send = window.fetch;
		window.calls = [];
		window.fetch = (path, request) => {
			if (request?.method === "POST") window.calls.push(path.split("/").pop());
			return send(path, request);
		};
	})()`)
}

// calls returns the names of the tools called since it was last called.
func (b *browser) calls() []string {
	b.t.Helper()
	return js[[]string](b, `window.calls.splice(0)`)
}

// storeVersion returns how many changes of the store the page was sent.
func (b *browser) storeVersion() int {
	b.t.Helper()
	return js[int](b, `import("/page/static/app/state.js").then((state) => state.storeVersion.value)`)
}

// TestBrowserRequests makes one call for a letter that is typed into a search, and none for
// moving in a list whose rows are loaded. The page also repeats its calls when the store
// changes, as it does when an index is merged.
func TestBrowserRequests(t *testing.T) {
	p := newPerson(t)
	for i := range 30 {
		p.techo("", "memory", "add", fmt.Sprintf("Fact %d about tea.", i))
	}
	b := p.open()
	b.visit("memories", "Memories")
	b.shows(".windowed", "Fact 29")
	p.techo("", "memory", "add", "Fact 30 about tea.") // the stream of events is connected when it is shown
	b.shows("main", "31 memories")
	b.shows(".windowed", "Fact 30")
	b.recordCalls()
	b.focus("Search")
	before := b.storeVersion()
	const words = "fact 2"
	for i, letter := range words {
		b.run(chromedp.KeyEvent(string(letter)))
		b.eventually(fmt.Sprintf(`document.querySelector(".results")?.dataset.query === %s`, quote(words[:i+1])))
	}
	changes := b.storeVersion() - before
	got := b.calls()
	searches := 0
	for _, name := range got {
		if name == "search_memory" {
			searches++
		}
	}
	if searches < len(words) || searches > len(words)+changes {
		t.Errorf("%d letters and %d changes of the store: the calls %q", len(words), changes, got)
	}
	b.click("Memories")
	b.visit("memories", "Memories")
	b.shows(".windowed", "Fact 30")
	b.shows("main", "31 memories")
	b.calls()
	js[any](b, `document.querySelector(".windowed").focus(); null`)
	b.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Home))
	b.eventually(`document.activeElement.textContent.startsWith("Fact 30")`)
	if got := b.calls(); len(got) > 0 && !slices.Contains(got, "list_questions") {
		b.eventually(`window.calls.includes("list_questions")`) // a change repeats the call of the frame, too
	}
	b.clean()
}

// TestBrowserKeyboard reaches every control of every view with Tab, and each shows that it has
// the focus.
func TestBrowserKeyboard(t *testing.T) {
	p := newPerson(t)
	p.seed()
	b := p.open()
	for _, v := range titles {
		b.visit(v.view, v.en)
		b.eventually(`!document.querySelector(".loading")`)
		js[any](b, `window.unreached = new Set([...document.querySelectorAll(
			"a[href], button, input, select, textarea, summary, [tabindex]")].filter((e) => e.checkVisibility() &&
			e.tabIndex >= 0 && !e.closest(".fc-col-header, [inert]")));
			document.querySelector("main h1").focus(); null`)
		stop := js[int](b, "window.unreached.size") + 40
		for range stop {
			b.run(chromedp.KeyEvent(kb.Tab))
			hidden := js[string](b, `(() => {
				const e = document.activeElement;
				window.unreached.delete(e);
				if (e === document.body) return "";
				const s = getComputedStyle(e);
				const seen = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== "none";
				return seen ? "" : e.outerHTML.slice(0, 200);
			})()`)
			if hidden != "" {
				t.Errorf("%s: no visible focus: %s", v.view, hidden)
			}
		}
		left := js[[]string](b, `[...window.unreached].filter((e) => e.isConnected)
			.map((e) => e.outerHTML.slice(0, 200))`)
		if len(left) > 0 {
			t.Errorf("%s: Tab does not reach %q", v.view, left)
		}
	}
	b.clean()
}

// TestBrowserFiles shows the edit of a file by an agent as a difference and takes it back.
func TestBrowserFiles(t *testing.T) {
	p := newPerson(t)
	p.techo("one\ntwo\n", "fs", "write", "a.txt", "-")
	p.techo("", "fs", "edit", "a.txt", "two", "three")
	b := p.open()
	b.visit("changes?family=files", "Changes")
	b.shows(".change", "edited the file")
	b.click("today 10:30")
	b.shows(".diff .removed", "two")
	b.shows(".diff .added", "three")
	b.click("Undo this change")
	b.shows(".change", "undone")
	p.wants("two", "fs", "read", "a.txt")
	b.clean()
}

// TestBrowserLeft leaves the calendar before its events have arrived.
func TestBrowserLeft(t *testing.T) {
	b := newPerson(t).open()
	js[any](b, `(() => {
		const send = window.fetch;
		window.held = [];
		window.fetch = (path, request) => path.endsWith("/list_events")
			? new Promise((go) => window.held.push(() => go(send(path, request))))
			: send(path, request);
	})()`)
	js[any](b, `location.hash = "#/calendar"; null`)
	b.eventually(`window.held.length > 0 && !!document.querySelector(".grid.fc")`)
	b.visit("memories", "Memories")
	b.eventually(`!document.querySelector(".grid")`)
	js[any](b, `window.held.splice(0).forEach((go) => go())`)
	b.visit("calendar", "Calendar") // whose events are loaded after those
	b.eventually(`window.held.length > 0`)
	js[any](b, `window.held.splice(0).forEach((go) => go())`)
	b.eventually(`!!document.querySelector(".grid.fc")`)
	b.clean()
}
