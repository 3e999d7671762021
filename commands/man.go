package commands

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/export"
	"techo/tools"
)

// manIn is the input of the command man.
type manIn struct {
	Command []string `json:"command,omitempty" en:"The command; without one, the whole program" ja:"コマンド。省略時は全体"`
	ToDir   *string  `json:"to_dir" en:"Write the pages of all commands into this folder" ja:"全コマンドのページをこのフォルダに書き出す"`
}

// manOut is the result of man --to-dir.
type manOut struct {
	Dir     string   `json:"dir"`
	Files   []string `json:"files"`
	Message string   `json:"message"`
}

// manCommand prints pages of the manual, made from the definitions.
func manCommand() *command {
	return answering(tools.Tool{
		Command: "man",
		About:   tools.Say{EN: "Print a page of the manual", JA: "マニュアルページを出力する"},
		More: tools.Say{
			EN: "To read it: techo man memo add | man -l -\nTo install all: techo man --to-dir ~/.local/share/man/man1",
			JA: "読む: techo man memo add | man -l -\nすべて入れる: techo man --to-dir ~/.local/share/man/man1",
		},
		Words: []string{"command…"},
		Examples: []tools.Example{
			{Does: tools.Say{EN: "The page of a command", JA: "コマンドのページ"}, Line: "man memo add"},
			{Does: tools.Say{EN: "All pages", JA: "すべてのページ"}, Line: "man --to-dir man1"},
		},
	}, doMan)
}

func doMan(_ context.Context, s *session, in manIn) int {
	l := readLine(s.whole(), in.Command)
	switch {
	case l.unknown != "" || len(l.words) > 0:
		if s.line = l; l.unknown == "" {
			s.line.unknown = l.words[0].text
		}
		return s.fail(s.unknownCommand(s.env(), l.node))
	case in.ToDir != nil && len(in.Command) > 0:
		return s.fail(s.env().Fail(tools.InvalidInput, tools.Say{EN: "--to-dir writes the pages of all commands", JA: "--to-dir は全コマンドのページを書き出すため、コマンドは指定できません"}))
	case in.ToDir != nil:
		return s.manPages(s.path(*in.ToDir))
	}
	return s.document(s.manPage(l.node))
}

// manPages writes all pages into a folder.
func (s *session) manPages(dir string) int {
	env := s.env()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return s.fail(folderError(env, dir, err))
	}
	out := manOut{Dir: dir, Files: []string{}}
	for _, node := range append([]*cli.Command{s.root}, pages(s.root)...) {
		name := strings.ReplaceAll(manName(node), " ", "-") + ".1"
		if err := export.Replace(filepath.Join(dir, name), []byte(s.manPage(node)), 0o644); err != nil {
			return s.fail(folderError(env, dir, err))
		}
		out.Files = append(out.Files, name)
	}
	out.Message = env.Say(tools.Say{EN: "Wrote %d pages to %s", JA: "%[2]s に %[1]d ページを書き出しました"}, len(out.Files), dir)
	document, err := tools.Marshal(out)
	if err != nil {
		return s.fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
	}
	return s.succeed(&tools.Result{JSON: document, Text: out.Message})
}

// folderError tells why nothing could be written into a folder.
func folderError(env *tools.Env, dir string, err error) *tools.Error {
	if os.IsPermission(err) {
		return env.Fail(tools.Forbidden, tools.Say{EN: "No permission to write to %s: %v", JA: "%s に書き込む権限がありません: %v"}, dir, err)
	}
	e := env.Fail(tools.InvalidInput, tools.Say{EN: "Cannot write to %s: %v", JA: "%s に書き込めません: %v"}, dir, err)
	e.Details = []tools.Detail{{Path: "/to_dir", Message: err.Error()}}
	return e
}

// pages are the commands below a node that have a page of their own.
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

// manName is what a page is called: the program and the command.
func manName(node *cli.Command) string {
	if c := commandOf(node); c != nil {
		return program + " " + c.Command
	}
	if node.Name == program {
		return program
	}
	return program + " " + groupPath(node)
}

// manPage writes a page: what --help says, in the form that man reads.
func (s *session) manPage(node *cli.Command) string {
	env := s.env()
	m := &manWriter{helpWriter{env: env}}
	name := manName(node)
	about := env.Say(tools.Say{EN: "the pocket notebook and toolbox of an AI agent, and of the person beside it", JA: "AI エージェントと、その隣にいる人のための手帳と道具箱"})
	c := commandOf(node)
	if c != nil {
		about = env.Say(c.About)
	}
	m.line(".TH %s 1 %s \"techo %s\" \"techo\"", roff(strings.ToUpper(strings.ReplaceAll(name, " ", "-"))), released, version)
	m.section(tools.Say{EN: "NAME", JA: "名前"})
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
	m.section(tools.Say{EN: "EXIT STATUS", JA: "終了コード"})
	m.lines(exitText(env))
	if node != s.root {
		m.section(tools.Say{EN: "SEE ALSO", JA: "関連項目"})
		m.line(".BR techo (1)")
	}
	return m.String()
}

// manWriter writes roff.
type manWriter struct{ helpWriter }

func (m *manWriter) section(title tools.Say) { m.line(".SH %s", roff(m.env.Say(title))) }

// lines writes a text line by line.
func (m *manWriter) lines(text string) {
	for i, l := range strings.Split(text, "\n") {
		if i > 0 {
			m.line(".br")
		}
		m.line("%s", roff(strings.TrimSpace(l)))
	}
}

func (m *manWriter) command(c *command) {
	m.section(tools.Say{EN: "SYNOPSIS", JA: "書式"})
	m.line("%s", roff(m.usage(c)))
	if more := m.env.Say(c.More); more != "" {
		m.section(tools.Say{EN: "DESCRIPTION", JA: "説明"})
		m.lines(more)
	}
	if len(c.Input().Properties) > 0 {
		m.section(tools.Say{EN: "OPTIONS", JA: "オプション"})
		m.tagged(m.fields(c))
	}
	if len(c.Examples) > 0 {
		m.section(tools.Say{EN: "EXAMPLES", JA: "例"})
		for _, e := range c.Examples {
			m.line(".TP\n%s\n%s", roff(m.env.Say(e.Does)), roff(program+" "+e.Line))
		}
	}
}

func (m *manWriter) commands(node *cli.Command) {
	m.section(tools.Say{EN: "COMMANDS", JA: "コマンド"})
	var rows [][]string
	for _, n := range pages(node) {
		rows = append(rows, []string{commandOf(n).Command, m.env.Say(commandOf(n).About)})
	}
	m.tagged(rows)
}

func (m *manWriter) settings() {
	m.section(tools.Say{EN: "GLOBAL FLAGS", JA: "共通フラグ"})
	m.tagged(settingRows(m.env))
}

// tagged writes rows of a term and what it means.
func (m *manWriter) tagged(rows [][]string) {
	for _, r := range rows {
		m.line(".TP\n.B %s\n%s", roff(strings.TrimSpace(r[0])), roff(r[1]))
	}
}

// roff makes a text one that means itself, in ASCII, which every reader takes
// without being told of an encoding.
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
