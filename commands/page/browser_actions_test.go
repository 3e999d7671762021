package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// wants fails the test unless an output contains a text.
func (p *person) wants(text string, args ...string) {
	p.t.Helper()
	if out := p.techo("", args...); !strings.Contains(out, text) {
		p.t.Errorf("techo %q: no %q in %s", args, text, out)
	}
}

// TestBrowserMemories adds, searches, edits, supersedes and removes a memory, and takes the
// removal back.
func TestBrowserMemories(t *testing.T) {
	p := newPerson(t)
	b := p.open()
	b.visit("memories", "Memories")
	b.shows(".empty code", "techo memory add")
	b.click("New memory")
	b.fill("Session", "walk")
	b.fill("Text", "Tanaka has a dog named Max. <b>He barks.</b>")
	b.run(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(input.ModifierCtrl)))
	b.shows("h2", "Tanaka has a dog named Max.")
	b.visit("memories", "Memories")
	b.click("New memory")
	b.fill("Text", "Tanaka has a dog named Rex.")
	b.click("Add")
	b.shows(".notice a", "Tanaka has a dog named Max.")
	b.click("No longer true")
	b.shows(".superseded", "Tanaka has a dog named Max.")
	b.click("Undo")
	b.shows(".notice", "Undone")
	b.hides(".superseded", "Max")
	p.techo("", "memory", "remove", p.ids("memories.id", "memory", "list")[0])
	id := p.ids("memories.id", "memory", "list")[0]
	b.visit("memories/"+id, "Memories")
	b.click("Edit")
	b.fill("Caption", "About Max")
	b.click("Save")
	b.shows("article h2", "About Max")
	p.wants(`"caption":"About Max"`, "memory", "get", id)
	b.click("No longer true…")
	b.fill("The new text", "Tanaka has two dogs, Max and Momo.")
	b.click("Supersede")
	b.shows(".superseded", "About Max")
	id = p.ids("memories.id", "memory", "list")[0]
	b.click("Remove")
	b.eventually(`location.hash === "#/memories"`)
	b.shows(".notice", "Undo")
	p.wants(`"total":0`, "memory", "list")
	b.click("Undo")
	b.shows(".windowed", "Tanaka has two dogs")
	b.fill("Search", "Momo")
	b.shows(".results mark", "Momo")
	b.eventually(`location.hash === "#/memories?q=Momo"`)
	b.shows("main [role=status]", "Found 1 of 1")
	p.techo("", "memory", "add", "Ilse pays the rent by card.")
	for _, view := range []string{"memories", "search"} { // nothing answers
		b.visit(view+"?q=What is the price of bread?", strings.ToUpper(view[:1])+view[1:])
		b.shows("main", "Nothing fits well; nearest: 1")
		b.shows(".results", "Ilse pays the rent by card.")
	}
	b.visit("memories", "Memories")
	b.click("What would an agent be reminded of?")
	b.fill("A message to the agent", "What are the names of Tanaka's dogs?")
	b.shows("pre.prompt", id)
	b.clean()
}

// TestBrowserMemos adds, edits and removes memos, and shows the prompt.
func TestBrowserMemos(t *testing.T) {
	p := newPerson(t)
	b := p.open()
	b.visit("memos", "Memos")
	b.click("New memo")
	b.fill("Name", "ramen")
	b.fill("Content", "Tanaka likes ramen")
	b.fill("Tags", "food、taste")
	b.click("Add")
	b.shows(".memo h3", "ramen")
	p.wants(`"tags":["food","taste"]`, "memo", "get", "ramen")
	b.click("Edit ramen")
	b.fill("Detail", "with an *egg*")
	b.click("Save")
	b.closes()
	b.click("Detail")
	b.shows(".memo em", "egg")
	b.click("New memo")
	b.fill("Name", "ramen")
	b.fill("Content", "x")
	b.click("Add")
	b.shows(".problem", "already in use")
	b.shows(".problem .hint", "choose another name")
	b.run(chromedp.KeyEvent(kb.Escape))
	b.hides("dialog", "Name")
	b.click("What does an agent see?")
	b.shows("pre.prompt", "Tanaka likes ramen")
	b.click("Remove ramen")
	b.shows(".empty", "There are no memos yet")
	p.wants(`"total":0`, "memo", "list")
	b.clean()
}

// TestBrowserQuestions answers by an option, by several, in own words and by declining.
func TestBrowserQuestions(t *testing.T) {
	p := newPerson(t)
	ask := p.agent()
	ask("Delete the logs?", `,"options":["Yes","2"]`)
	ask("Which branches?", `,"options":["A","B","C"],"multiple":true`)
	ask("What name?")
	ask("May I?")
	b := p.open()
	b.visit("questions", "Questions")
	b.shows(".question", "asked by tanaka")
	b.click("2") // the option with this text is the second one
	b.shows(".past-answer", "2")
	p.wants(`"answer":"2","index":2`, "ask", "wait", "q1")
	b.click("A")
	b.click("C")
	js[any](b, `document.querySelector(".choice").closest("article").querySelector("input[type=text]").focus(); null`)
	b.run(chromedp.KeyEvent("D"), chromedp.KeyEvent(kb.Enter))
	b.shows(".past-answer", "A, C, D")
	b.fill("Answer", "Momo")
	b.click("Answer")
	b.shows(".past-answer", "Momo")
	p.wants(`"via":"page"`, "ask", "wait", "q3")
	b.click("Decline")
	b.shows(".empty", "No question waits")
	b.clean()
}

// agent returns a function that asks questions in a window of its own.
func (p *person) agent() func(text string, more ...string) {
	return func(text string, more ...string) {
		p.t.Helper()
		cmd := p.techoAs("agent", "call", "ask_user", fmt.Sprintf(`{"question":%s,"via":"queue","wait":"0"%s}`,
			quote(text), strings.Join(more, "")))
		cmd.Dir = "/"                                                   // the page shows the folder
		if out, err := cmd.Output(); cmd.ProcessState.ExitCode() != 6 { // pending
			p.t.Fatalf("%s: %v\n%s", text, err, out)
		}
	}
}

// TestBrowserConflict changes one memory in two tabs and on the command line. Each later
// change fails, shows the other text, and can be repeated.
func TestBrowserConflict(t *testing.T) {
	p := newPerson(t)
	p.techo("", "memory", "add", "The first text.")
	id := p.ids("memories.id", "memory", "list")[0]
	b := p.open()
	other := newTab(t, b.ctx)
	other.run(chromedp.Navigate(p.base + "/#/memories/" + id))
	other.shows("article", "The first text.")
	b.visit("memories/"+id, "Memories")
	for _, tab := range []*browser{b, other} {
		tab.click("Edit")
		tab.shows("dialog", "Caption")
	}
	p.techo("", "memory", "edit", id, "--full-text", "The text of the command line.")
	b.fill("Text", "The text of the first tab.")
	b.click("Save")
	b.shows(".problem", "changed since it was read")
	b.shows(".problem .hint", "Read it again")
	b.click("Show the other text")
	b.shows(".theirs pre", "The text of the command line.")
	b.click("Keep my text")
	b.click("Save")
	b.shows("article", "The text of the first tab.")
	other.fill("Text", "The text of the second tab.")
	other.click("Save")
	other.shows(".problem", "changed since it was read")
	p.wants("The text of the first tab.", "memory", "get", id)
	b.clean()
	other.clean()
}

// TestBrowserLive shows the changes of other processes without a reload, and undoes one.
func TestBrowserLive(t *testing.T) {
	p := newPerson(t)
	b := p.open()
	b.visit("changes", "Changes")
	p.techo("", "memo", "add", "tea", "green", "--priority", "3")
	b.shows(".change", "tea")
	p.techo("", "memo", "edit", "tea", "--content", "black")
	b.shows(".change", "changed the memo")
	b.click("today 10:30")
	b.shows(".diff .removed", "green")
	b.shows(".diff .added", "black")
	b.click("Undo this change")
	b.shows(".change", "undone")
	p.wants(`"content":"green"`, "memo", "get", "tea")
	b.visit("store", "Store")
	b.click("Check now")
	b.shows(".notice", "The store is sound")
	b.shows(".empty code", "techo store backup")
	b.click("Back up now")
	b.shows(".backups", "techo-2026-11-20T103000.backup")
	b.shows("main", "1 backup, ")
	restore := js[string](b, `document.querySelector("main pre").textContent`)
	p.techo("", strings.Fields(strings.Replace(restore, p.home+"/store", p.home+"/again", 1))[1:]...)
	p.wants(`"content":"green"`, "memo", "get", "tea", "--store", p.home+"/again")
	b.visit("memos", "Memos")
	p.techo("", "memo", "remove", "tea")
	b.shows(".empty", "techo memo add")
	b.clean()
}
