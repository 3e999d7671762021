package commands

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"techo/commands/run"
	"techo/commands/serve"
	"techo/commands/system"
	"techo/export"
	"techo/tools"
)

// pageOpener gives a link of a page to the person.
type pageOpener struct {
	s       *run.Run
	link    func(address string) (link string, ends time.Time)
	running int    // the process that serves the page already; 0: this one
	file    string // leads the browser to the link; "" without one
}

type pageOut struct {
	Link      string `json:"link"`
	ExpiresAt string `json:"expires_at"`
	Message   string `json:"message"`
}

func (o *pageOpener) print(address string) {
	env := o.s.Env()
	link, ends := o.link(address)
	o.s.Answer(pageOut{link, env.Time(ends), o.message(env)}, link)
}

// message says which process serves the page.
func (o *pageOpener) message(env *tools.Env) string {
	if o.running != 0 {
		return env.Localize("The page is served already, by process %d; open the link once, within %s", o.running,
			linkLife(env))
	}
	return env.Localize("Open the link once, within %s; Ctrl-C stops the page", linkLife(env))
}

// open opens a browser and prints a link on stderr. Other users can see the arguments of
// processes, so the browser gets the name of a private file that leads to its link.
func (o *pageOpener) open(address string) {
	env := o.s.Env()
	shown, _ := o.link(address)
	announceLink(o.s, shown)
	if o.s.System.Browse == nil || o.s.System.State() == "" {
		return
	}
	own, _ := o.link(address)
	name := fmt.Sprintf("page-%d.html", os.Getpid())
	if o.running != 0 {
		name = "page-link.html" // this process ends before the browser reads it
	}
	o.file = filepath.Join(o.s.System.State(), system.Name, name)
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

// pageLinks returns a function for links of the page of a run, which an MCP client shows to the person.
// They open the page that runs, or one that is served until ctx ends.
func pageLinks(ctx context.Context, s *run.Run) func(context.Context) (string, error) {
	quiet := s.System
	quiet.Stdout, quiet.Stderr = io.Discard, io.Discard // they carry the protocol
	own := run.New(quiet, s.Offered)
	own.Configure(s.Given)
	start := sync.OnceValues(func() (link func() string, err error) {
		site, person, e := personPage(own, false)
		if e != nil {
			return nil, e
		}
		listening, ended := make(chan string, 1), make(chan struct{})
		o := serve.Options{Page: site, Person: person, Kind: pageKind(own),
			Listening: func(address string) { listening <- address }}
		go func() {
			defer close(ended)
			defer own.Close()
			serve.ListenAndServe(ctx, own, serve.ListenIn{Address: "127.0.0.1:0", PageOnly: true, Silent: true},
				serve.New(person, o), slog.New(slog.DiscardHandler))
		}()
		select {
		case address := <-listening:
			return func() string { link, _ := site.Link(address); return link }, nil
		case <-ended:
			return nil, errors.New("page: not served")
		}
	})
	return func(ctx context.Context) (string, error) {
		if running, ok := serve.FindPage(ctx, own.System, pageKind(own)); ok {
			return running.Link, nil
		}
		link, err := start()
		if err != nil {
			return "", err
		}
		return link(), nil
	}
}
