package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"techo/internal/testenv"
)

// holds fails the test unless the focused field has a text.
func (b *browser) holds(want string) {
	b.t.Helper()
	if got := js[string](b, "document.activeElement.value"); got != want {
		b.t.Errorf("the field has %q, want %q", got, want)
	}
}

// TestBrowserComposition types with an input method while other programs change the store:
// what is being composed stays, is not searched for, and is not submitted by the Enter that ends
// the composition.
func TestBrowserComposition(t *testing.T) {
	p := newPerson(t)
	p.techo("", "memory", "add", "犬のマックスは雷が苦手。")
	ask := p.agent()
	b := p.open()
	b.visit("memories", "Memories")
	b.shows(".windowed", "犬のマックス")
	b.focus("Search")
	b.run(compose("いぬ"))
	ask("名前は？") // draws the whole page again, with the number of questions
	b.shows("nav .count", "1")
	b.holds("いぬ")
	b.run(compose("犬"))
	if b.shows("nav .count", "1"); js[bool](b, `Boolean(document.querySelector(".results"))`) {
		t.Error("a composition is searched for")
	}
	b.run(insert("犬"))
	b.shows(".results mark", "犬")
	b.eventually(`location.hash === "#/memories?q=%E7%8A%AC"`)

	b.visit("questions", "Questions")
	b.focus("Answer")
	b.run(compose("もも"))
	ask("色は？")
	b.shows("nav .count", "2")
	b.holds("もも")
	js[any](b, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229,
		isComposing: true, bubbles: true, cancelable: true })); null`)
	p.wants(`"count":2`, "ask", "list")
	b.run(insert("桃"), chromedp.KeyEvent(kb.Enter))
	b.shows(".past-answer", "桃")

	b.visit("memos", "Memos")
	b.click("New memo")
	b.focus("Content")
	b.run(insert("私は"), compose("らーめん"))
	ask("味は？")
	b.shows("nav .count", "2")
	b.holds("私はらーめん")
	b.run(insert("ラーメン"))
	b.holds("私はラーメン")
	b.clean()
}

// TestBrowserFast types faster than the page draws: no letter is lost, and the link follows.
func TestBrowserFast(t *testing.T) {
	p := newPerson(t)
	p.techo("", "memory", "add", "The quick brown fox jumps over the lazy dog.")
	b := p.open()
	b.visit("memories", "Memories")
	b.shows(".windowed", "The quick")
	b.focus("Search")
	words := strings.Repeat("fox dog ", 8) + "quick"
	js[any](b, `(async () => {
		const f = document.activeElement;
		for (const c of `+quote(words)+`) {
			f.value += c;
			f.dispatchEvent(new InputEvent("input", { bubbles: true }));
			await new Promise((done) => setTimeout(done, Math.random() * 20));
		}
	})()`)
	b.holds(words)
	b.shows(".results mark", "quick")
	b.eventually(`new URLSearchParams(location.hash.split("?")[1]).get("q") === ` + quote(words))
	js[any](b, `document.querySelector(".results a").click(); null`)
	b.shows("article h2", "The quick")
	js[any](b, `history.back(); null`)
	b.shows(".results mark", "quick")
	b.focus("Search")
	b.holds(words)
	b.clean()
}

// TestBrowserDrafts changes things on the command line while the person writes about them:
// what was typed stays.
func TestBrowserDrafts(t *testing.T) {
	p := newPerson(t)
	ask := p.agent()
	ask("What name?")
	p.techo("", "memory", "add", "Max is a dog.")
	p.techo("", "memo", "add", "tea", "green", "--priority", "3")
	id := p.ids("memories.id", "memory", "list")[0]
	b := p.open()
	b.fill("Answer", "Momo, because")
	b.visit("questions", "Questions")
	b.focus("Answer")
	b.holds("Momo, because")
	p.techo("", "ask", "cancel", "q1")
	b.shows(".question", "no longer waits")
	b.shows(".question pre", "Momo, because")
	b.click("Discard")
	b.shows(".empty", "No question waits")

	b.visit("memories/"+id, "Memories")
	b.click("Edit")
	b.fill("Text", "Max is a big dog.")
	answers := b.answersOf("get_memory")
	p.techo("", "memory", "remove", id)
	testenv.Eventually(t, func() bool { return answers.Load() > 0 })
	b.click("Save")
	b.shows(".problem", id)
	b.focus("Text")
	b.holds("Max is a big dog.")
	b.run(chromedp.KeyEvent(kb.Escape))
	b.shows(".problem", id)

	b.visit("memos", "Memos")
	b.click("Edit tea")
	b.fill("Content", "black")
	answers = b.answersOf("get_memo")
	p.techo("", "memo", "remove", "tea")
	testenv.Eventually(t, func() bool { return answers.Load() > 0 })
	b.focus("Content")
	b.holds("black")
	b.click("Save")
	b.shows(".problem", "Memo not found")
	b.run(chromedp.KeyEvent(kb.Escape))
	b.closes()
	b.keepsForms()
	b.clean()
}

// keepsForms leaves each form by Escape and by a reload: it begins in its first field, keeps what was typed until
// that is thrown away, and gives the focus back to the button that opened it.
func (b *browser) keepsForms() {
	b.t.Helper()
	for _, f := range []struct{ view, title, button, field string }{
		{"memos", "Memos", "New memo", "Name"}, {"memories", "Memories", "New memory", "Text"},
		{"todos", "To-dos", "New to-do", "What is to be done"}, {"calendar", "Calendar", "New event", "Title"}} {
		b.visit(f.view, f.title)
		b.eventually(fmt.Sprintf("Boolean((%s)(%s))", control, quote(f.button)))
		js[any](b, fmt.Sprintf("(%s)(%s).focus(); null", control, quote(f.button)))
		b.run(chromedp.KeyEvent(kb.Enter))
		b.shows("dialog h2", f.button)
		b.run(insert("half a thought"), chromedp.KeyEvent(kb.Escape))
		b.closes()
		b.eventually("document.activeElement.textContent.trim() === " + quote(f.button))
		b.run(chromedp.Reload())
		b.shows("h1", f.title)
		b.click(f.button)
		b.shows("dialog", "This is what you typed before.")
		b.focus(f.field)
		b.holds("half a thought")
		b.click("Throw it away")
		b.focus(f.field)
		b.holds("")
		b.run(chromedp.KeyEvent(kb.Escape))
		b.closes()
	}
}
