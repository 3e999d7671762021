package commands

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"techo/commands/line"
	"techo/commands/offer"
	"techo/commands/page"
	"techo/commands/run"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/commands/system"
	"techo/export"
	"techo/tools"
)

// pageIn is the input of the command page.
type pageIn struct {
	Listen string `json:"listen" default:"127.0.0.1:0" doc:"HOST:PORT on this machine; port 0 is a free one"`
	NoOpen bool   `json:"no_open,omitempty" doc:"Do not open a browser; print the link on stdout"`
}

// pageCommand serves the page for the person.
func pageCommand() *line.Command {
	return line.Answering(tools.Tool{
		Command: "page",
		About:   "Open a page in your browser, with everything in the store",
		More: "On the page you see what agents keep here, correct or remove it, answer questions, look at the " +
			"calendar, and undo changes. It is for you, not for agents.\n" +
			"A link opens it once, within ten minutes; run the command again for another one. The link is printed " +
			"on stderr and opened in your browser. Only this machine can reach the page, and only the browser " +
			"that opened the link can use it. Ctrl-C stops it.",
		Examples: []tools.Example{
			{Does: "Let techo serve offer the page too", Line: `serve --page --listen 127.0.0.1:7430 --unit systemd`},
		},
	}, doPage)
}

func doPage(ctx context.Context, s *run.Run, in pageIn) int {
	site, person, e := personPage(s, false)
	if e != nil {
		return s.Out.Fail(e)
	}
	log := slog.New(slog.DiscardHandler)
	opener := &pageOpener{s: s, site: site}
	defer opener.remove()
	o := serve.Options{Page: site, Person: person, Listening: opener.open}
	if in.NoOpen {
		o.Listening = opener.print
	}
	listen := serve.ListenIn{Address: in.Listen, PageOnly: true, Silent: in.NoOpen}
	return serve.ListenAndServe(ctx, s, listen, serve.New(person, o), log)
}

// personPage returns the page, and the host for its calls: the tools for persons in the
// families that the page shows. remote confines file changes to the folders of --root.
func personPage(s *run.Run, remote bool) (*page.Site, *server.Host, *tools.Error) {
	own := *s
	own.Offered = append(personTools(), s.Offered...)
	choice := offer.Choice{Audience: tools.Persons, Only: []string{
		"memo", "memory", "cal", "history", "undo", "store", "list_questions", "answer_question"}}
	create := server.New
	if remote {
		create = server.NewRemote
	}
	h, e := create(&own, choice)
	if e != nil {
		return nil, nil, e
	}
	h.MaxBytes = server.MaxBody             // a text that is edited must not be cut
	h.Run.System.Lineage = s.System.Lineage // decides which questions the page may answer
	return page.New(s), h, nil
}

// personTools returns commands that the page calls as tools. They are for persons, and
// no catalogue has them.
func personTools() (all []*tools.Tool) {
	for name, c := range map[string]*line.Command{
		"store_info": storeInfoCommand(), "verify_store": storeVerifyCommand(), "confirm_event": calConfirmCommand(),
	} {
		t := *c.Tool
		t.Name, t.For = name, tools.Persons
		all = append(all, &t)
	}
	return all
}

// announceLink prints a link on stderr.
func announceLink(s *run.Run, site *page.Site, address string) {
	env := s.Env()
	link, _ := site.Link(address)
	fmt.Fprintln(s.System.Stderr, env.Localize("Open the page once, within %s: %s", linkLife(env), link))
}

// linkLife describes how long a link can be opened.
func linkLife(env *tools.Env) string {
	return env.Count(int(page.LinkLife/time.Minute), "%d minute", "%d minutes")
}

// pageOpener gives the link of a page to the person.
type pageOpener struct {
	s    *run.Run
	site *page.Site
	file string // leads the browser to the link; "" without one
}

// pageOut is the document with the link of a page.
type pageOut struct {
	Link      string `json:"link"`
	ExpiresAt string `json:"expires_at"`
	Message   string `json:"message"`
}

// print prints the link on stdout.
func (o *pageOpener) print(address string) {
	env := o.s.Env()
	link, ends := o.site.Link(address)
	out := pageOut{link, env.Time(ends),
		env.Localize("Open the link once, within %s; Ctrl-C stops the page", linkLife(env))}
	document, err := tools.Marshal(out)
	if err != nil {
		o.s.Out.FailInternal(env, err)
		return
	}
	o.s.Out.Succeed(&tools.Result{JSON: document, Text: link})
}

// open opens a browser and prints another link on stderr. Other users can see the
// arguments of processes, so the browser gets the name of a private file that leads to
// its link.
func (o *pageOpener) open(address string) {
	env := o.s.Env()
	announceLink(o.s, o.site, address)
	if o.s.System.Browse == nil || o.s.System.State() == "" {
		return
	}
	own, _ := o.site.Link(address)
	o.file = filepath.Join(o.s.System.State(), system.Name, fmt.Sprintf("page-%d.html", os.Getpid()))
	content := `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
		`<meta http-equiv="refresh" content="0; url=` + html.EscapeString(own) + `"><title>techo</title>`
	err := os.MkdirAll(filepath.Dir(o.file), 0o700)
	if err == nil {
		err = export.Private(o.file, []byte(content))
	}
	if err == nil {
		err = o.s.System.Browse(o.file)
	}
	if err != nil {
		fmt.Fprintln(o.s.System.Stderr,
			env.Localize("No browser was opened (%s); open the link yourself", env.Cause(err)))
	}
}

// remove removes the file that led the browser to its link.
func (o *pageOpener) remove() {
	if o.file != "" {
		_ = os.Remove(o.file) // it may not exist
	}
}
