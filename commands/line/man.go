package line

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/commands/system"
	"techo/internal/atomicfile"
	"techo/internal/buildstamp"
	"techo/internal/confine"
	"techo/tools"
)

type manIn struct {
	Command []string `json:"command,omitempty" doc:"The command (default: the whole program)"`
	ToDir   *string  `json:"to_dir" doc:"Write the pages of all commands into this folder"`
}

type manOut struct {
	Dir     string   `json:"dir"`
	Files   []string `json:"files"`
	Message string   `json:"message"`
}

// ManCommand prints manual pages, generated from the definitions.
func ManCommand(a *App) *Command {
	return Answering(tools.Tool{
		Command: "man",
		About:   "Print a page of the manual",
		More: "To read it: techo man memo add | man -l -\n" +
			"To install all: techo man --to-dir ~/.local/share/man/man1",
		Words: []string{"command…"},
		Examples: []tools.Example{
			{Does: "The page of a command", Line: "man memo add"},
			{Does: "All pages", Line: "man --to-dir man1"},
		},
	}, func(_ context.Context, _ *run.Run, in manIn) int { return a.man(in) })
}

// man prints a page, or writes all pages.
func (a *App) man(in manIn) int {
	node, e := a.named(in.Command)
	switch {
	case e != nil:
		return a.Run.Out.Fail(e)
	case in.ToDir != nil && len(in.Command) > 0:
		return a.Run.Out.Fail(a.Run.Env().Fail(tools.InvalidInput, "--to-dir writes the pages of all commands"))
	case in.ToDir != nil:
		dir, err := tools.Confined(a.Run.Env(), a.Run.System.Path(*in.ToDir))
		if err != nil {
			return a.Run.Out.Fail(tools.AsError(a.Run.Env(), err))
		}
		return a.manPages(dir)
	}
	return a.Run.Out.Document(a.manPage(node))
}

func (a *App) manPages(at confine.Place) int {
	env, dir := a.Run.Env(), at.Full()
	folder, err := at.MakeRoot(0o755)
	if err != nil {
		return a.Run.Out.Fail(folderError(env, dir, err))
	}
	defer folder.Close()
	out := manOut{Dir: dir, Files: []string{}}
	for _, node := range append([]*cli.Command{a.root}, pages(a.root)...) {
		name := strings.ReplaceAll(manName(node), " ", "-") + ".1"
		if err := atomicfile.Write(folder, name, []byte(a.manPage(node)), atomicfile.Options{Chmod: 0o644}); err != nil {
			return a.Run.Out.Fail(folderError(env, dir, err))
		}
		out.Files = append(out.Files, name)
	}
	out.Message = env.Localize("Wrote %s to %s", env.Count(len(out.Files), "%d page", "%d pages"), dir)
	return a.Run.Answer(out, out.Message)
}

// folderError explains why writing to a folder failed.
func folderError(env *tools.Env, dir string, err error) *tools.Error {
	if os.IsPermission(err) {
		return env.Fail(tools.Forbidden, "No permission to write to %s: %v", dir, err)
	}
	e := env.Fail(tools.InvalidInput, "Cannot write to %s: %v", dir, err)
	e.Details = []tools.Detail{{Path: "/to_dir", Message: env.Cause(err)}}
	return e
}

// pages returns the commands below a node that have a manual page.
func pages(node *cli.Command) (found []*cli.Command) {
	for _, n := range node.Commands {
		if n.Hidden {
			continue
		}
		if commandOf(n) != nil {
			found = append(found, n)
		}
		found = append(found, pages(n)...)
	}
	return found
}

// manName returns the title of a page: the program and the command.
func manName(node *cli.Command) string {
	if c := commandOf(node); c != nil {
		return system.Name + " " + c.Tool.Command
	}
	if node.Name == system.Name {
		return system.Name
	}
	return system.Name + " " + groupPath(node)
}

func (a *App) manPage(node *cli.Command) string {
	env := a.Run.Env()
	m := &manWriter{helpWriter{layout{env: env}}}
	name := manName(node)
	about := env.Localize("a notebook and toolbox for AI agents and the people beside them")
	c := commandOf(node)
	if c != nil {
		about = env.Localize(c.Tool.About)
	}
	title := roff(strings.ToUpper(strings.ReplaceAll(name, " ", "-")))
	date := buildstamp.Read().Date
	if date == "" { // built without version control; mandoc requires a date
		date = env.Now().Format(time.DateOnly)
	}
	m.line(".TH %s 1 %s \"techo %s\" \"techo\"", title, date, system.Version)
	m.section("NAME")
	m.line("%s \\- %s", roff(strings.ReplaceAll(name, " ", "-")), roff(about))
	if c != nil {
		m.command(c)
	}
	if len(node.Commands) > 0 {
		m.commands(node)
	}
	if c == nil {
		m.settings()
	}
	m.section("EXIT STATUS")
	m.lines(exitText(env))
	if node != a.root {
		m.section("SEE ALSO")
		m.line(".BR techo (1)")
	}
	return m.String()
}

type manWriter struct{ helpWriter }

func (m *manWriter) section(title tools.Text) { m.line(".SH %s", roff(m.env.Localize(title))) }

func (m *manWriter) lines(text string) {
	for i, l := range strings.Split(text, "\n") {
		if i > 0 {
			m.line(".br")
		}
		m.line("%s", roff(strings.TrimSpace(l)))
	}
}

func (m *manWriter) command(c *Command) {
	m.section("SYNOPSIS")
	m.line("%s", roff(m.usage(c)))
	if more := c.Tool.FurtherHelp(m.env, false, nil); more != "" {
		m.section("DESCRIPTION")
		m.lines(more)
	}
	if len(c.Tool.Input().Properties) > 0 {
		m.section("OPTIONS")
		m.tagged(m.fields(c))
	}
	if len(c.Tool.Examples) > 0 {
		m.section("EXAMPLES")
		for i, e := range c.Tool.Examples {
			if i > 0 {
				m.line(".PP")
			}
			m.line("%s", roff(m.env.Localize(e.Does)))
			m.line(".sp\n.nf\n.RS 4\n%s\n.RE\n.fi", roffLines(breakCommand(system.Name+" "+e.Line, helpWidth-12)))
		}
	}
}

func (m *manWriter) commands(node *cli.Command) {
	m.section("COMMANDS")
	var rows [][]string
	for _, n := range pages(node) {
		rows = append(rows, []string{commandOf(n).Tool.Command, m.env.Localize(commandOf(n).Tool.About)})
	}
	m.tagged(rows)
}

func (m *manWriter) settings() {
	m.section("GLOBAL FLAGS")
	m.tagged(settingRows(m.env))
}

func (m *manWriter) tagged(rows [][]string) {
	for _, r := range rows {
		m.line(".TP\n.B %s\n%s", roff(strings.TrimSpace(r[0])), roff(r[1]))
	}
}

func roffLines(lines []string) string {
	for i, l := range lines {
		lines[i] = roff(l)
	}
	return strings.Join(lines, "\n")
}

// roff escapes a text. The output is ASCII, which every reader accepts without a
// declared encoding.
func roff(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '.' && b.Len() == 0:
			b.WriteString(`\&.`)
		case r == '\n':
			b.WriteByte(' ')
		case r >= 0x80:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
