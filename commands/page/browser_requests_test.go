package page_test

import (
	"fmt"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// calls records the names of the tools that the page calls.
type calls struct {
	mu  sync.Mutex
	all []string
}

// since returns the calls since it was last called.
func (c *calls) since() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

// calls records the calls of tools from now on.
func (b *browser) calls() *calls {
	b.t.Helper()
	c := new(calls)
	chromedp.ListenTarget(b.ctx, func(event any) {
		if r, ok := event.(*network.EventRequestWillBeSent); ok && r.Request.Method == "POST" {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.all = append(c.all, path.Base(r.Request.URL))
		}
	})
	b.run(network.Enable())
	return c
}

// storeVersion returns how many changes of the store the page was sent.
func (b *browser) storeVersion() int {
	b.t.Helper()
	return js[int](b, `import("/page/static/app/state.js").then((state) => state.storeVersion.value)`)
}

// TestBrowserRequests makes one call for a letter that is typed into a search, and none for
// moving in a list whose rows are loaded.
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
	c := b.calls()
	b.focus("Search")
	typed, version := "", b.storeVersion()
	for _, letter := range "fact 2" {
		c.since()
		b.run(chromedp.KeyEvent(string(letter)))
		typed += string(letter)
		b.eventually(fmt.Sprintf(`document.querySelector(".results")?.dataset.query === %s`, quote(typed)))
		got := c.since()
		searches := 0
		for _, name := range got {
			if name == "search_memory" {
				searches++
			}
		}
		// The page repeats its calls when the store changes; an index may still be merged.
		before := version
		if version = b.storeVersion(); searches < 1 || searches > 1+version-before {
			t.Errorf("%q: %d changes of the store, the calls %q", typed, version-before, got)
		}
	}
	b.click("Memories")
	b.visit("memories", "Memories")
	b.shows(".windowed", "Fact 30")
	b.shows("main", "31 memories")
	c.since()
	js[any](b, `document.querySelector(".windowed").focus(); null`)
	b.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Home))
	b.eventually(`document.activeElement.textContent.startsWith("Fact 30")`)
	if got := c.since(); len(got) > 0 && !slices.Contains(got, "list_questions") {
		t.Errorf("moving in the list calls %q", got)
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
