package commands

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"techo/commands/catalogue"
	"techo/commands/line"
	"techo/commands/page"
	"techo/commands/run"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/commands/system"
	"techo/tools"
)

type pageIn struct {
	Listen *string `json:"listen" doc:"HOST:PORT on this machine (default: a free port, or the page that runs)"`
	NoOpen bool    `json:"no_open,omitempty" doc:"Do not open a browser; print the link on stdout"`
}

func pageCommand() *line.Command {
	return line.Answering(tools.Tool{
		Command: "page",
		About:   "Open a page in your browser, with everything in the store",
		More: "On the page you see what agents keep here, correct or remove it, answer questions, look at the " +
			"calendar, and undo changes. It is for you, not for agents.\n" +
			"A link opens it once, within ten minutes; run the command again for another one. The link is printed " +
			"on stderr and opened in your browser. Only this machine can reach the page, and only the browser " +
			"that opened the link can use it. Ctrl-C stops it. If you run the page of this store already, also by " +
			"techo serve --page, the command opens that one with another link and ends.",
		Examples: []tools.Example{
			{Does: "Let techo serve offer the page too", Line: `serve --page --listen 127.0.0.1:7430 --unit systemd`},
		},
	}, doPage)
}

func doPage(ctx context.Context, s *run.Run, in pageIn) int {
	if e := run.CheckHere(s); e != nil {
		return s.Out.Fail(e)
	}
	kind := pageKind(s)
	if in.Listen == nil {
		if running, ok := serve.FindPage(ctx, s.System, kind); ok {
			return openRunning(ctx, s, in, running)
		}
	}
	site, person, e := personPage(s, false)
	if e != nil {
		return s.Out.Fail(e)
	}
	log := slog.New(slog.DiscardHandler)
	opener := &pageOpener{s: s, link: site.Link}
	defer opener.remove()
	o := serve.Options{Page: site, Person: person, Kind: kind, Listening: opener.open}
	if in.NoOpen {
		o.Listening = opener.print
	}
	listen := serve.ListenIn{Address: "127.0.0.1:0", PageOnly: true, Silent: in.NoOpen}
	if in.Listen != nil {
		listen.Address = *in.Listen
	}
	return serve.ListenAndServe(ctx, s, listen, serve.New(person, o), log)
}

func pageKind(s *run.Run) serve.PageKind {
	env := s.Env()
	where, _ := env.Where() // a store that cannot be found is reported by each call
	if real, err := filepath.EvalSymlinks(where); err == nil {
		where = real
	}
	return serve.PageKind{Store: where, User: env.User, Zone: env.Zone.String(), Lang: string(env.Lang),
		Version: system.Version}
}

func openRunning(ctx context.Context, s *run.Run, in pageIn, page serve.RunningPage) int {
	env := s.Env()
	opener := &pageOpener{s: s, running: page.PID}
	opener.link = func(string) (string, time.Time) {
		given := page
		if another, ok := serve.FindPage(ctx, s.System, pageKind(s)); ok {
			page = another
		}
		return given.Link, given.ExpiresAt
	}
	if in.NoOpen {
		opener.print("")
		return 0
	}
	address, _, _ := strings.Cut(page.Link, "/page/")
	opener.open(address)
	message := opener.message(env)
	return s.Answer(struct {
		Address string `json:"address"`
		Message string `json:"message"`
	}{address, message}, message)
}

// personPage returns the page, and the host for its calls: the tools for persons in the
// families that the page shows. remote confines file changes to the folders of --root.
func personPage(s *run.Run, remote bool) (*page.Site, *server.Host, *tools.Error) {
	own := *s
	own.Form = true
	own.Offered = append(personTools(s), s.Offered...)
	choice := catalogue.Choice{Audience: tools.Persons, Only: []string{
		"memo", "memory", "cal", "todo", "history", "undo", "store", "config", "change_together", "list_questions",
		"answer_question", "list_spaces", "sync_status"}}
	create := server.New
	if remote {
		create = server.NewRemote
	}
	h, e := create(&own, choice)
	if e != nil {
		return nil, nil, e
	}
	h.MaxBytes = server.MaxBody // a text that is edited must not be cut
	return page.New(s), h, nil
}

// announceLink prints a link on stderr.
func announceLink(s *run.Run, link string) {
	env := s.Env()
	fmt.Fprintln(s.System.Stderr, env.Localize("Open the page once, within %s: %s", linkLife(env), link))
}

// linkLife describes how long a link can be opened.
func linkLife(env *tools.Env) string {
	return env.Count(int(page.LinkLife/time.Minute), "%d minute", "%d minutes")
}
