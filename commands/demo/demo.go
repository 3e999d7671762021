// Package demo is the command demo: a tour that keeps everything in a temporary folder.
package demo

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/system"
	"techo/internal/columns"
	"techo/tools"
)

// widest is the width of the prose on a wide terminal, in columns.
const widest = 80

// step is one part of the tour: a sentence, and the lines that show it, without the program's name.
type step struct {
	says  tools.Text
	lines []tools.Text
}

func tour() []step {
	return []step{
		{"A memo is a short fact. Every prompt of your agent shows it.", []tools.Text{
			`memo add ramen "Tanaka likes ramen" --priority 4`,
		}},
		{"A memory is anything said or learned. A plain question finds it.", []tools.Text{
			`memory add "Tanaka has a golden retriever named Max."`,
			`memory search "Who has a retriever?"`,
		}},
		{"The calendar reads dates in words, and finds free times.", []tools.Text{
			`cal create Review "tomorrow 14:00" --end 15:30`,
			`cal suggest tomorrow tomorrow 60 --limit 2`,
		}},
		{"A change of a file can be taken back, as can any other change.", []tools.Text{
			`fs write greeting.txt "Hello, World"`,
			`fs edit greeting.txt World techo`,
			`fs read greeting.txt`,
			`fs undo`,
			`fs read greeting.txt`,
		}},
	}
}

// Command returns the command demo. main runs one command line.
func Command(main func(context.Context, system.System) int) *line.Command {
	return line.Answering(tools.Tool{
		Command: "demo",
		About:   "Show what techo does, in a temporary folder",
		More: "Runs a few commands and prints them with their answers, as text. They use a folder of their own, " +
			"which is removed at the end. Your store, your settings and your files stay as they are.",
		Examples: []tools.Example{{Does: "A tour of a few seconds", Line: "demo"}},
	}, func(ctx context.Context, s *run.Run, _ struct{}) int { return show(ctx, s, main) })
}

// show runs the tour, and returns the exit code of the first command that failed.
func show(ctx context.Context, s *run.Run, main func(context.Context, system.System) int) int {
	env := s.Env()
	folder, err := os.MkdirTemp("", "techo-demo-")
	if err != nil {
		return s.Out.Fail(env.Fail(tools.Unavailable, "There is no temporary folder: %s", env.Cause(err)).
			WithHint(env.Hint("Name a folder that you can write to: TMPDIR=DIR %s", tools.Use("demo"))))
	}
	defer os.RemoveAll(folder)
	inside := within(s.System, env, folder)
	code := s.Out.Document(prose(s.System, env.Localize("techo keeps memos, memories and a calendar for AI agents and "+
		"the people beside them. This tour runs in a temporary folder, which is removed at the end.")))
	for _, step := range tour() {
		if code == 0 {
			code = s.Out.Document("\n" + prose(s.System, env.Localize(step.says)))
		}
		for _, text := range step.lines {
			if code == 0 && ctx.Err() == nil {
				code = runLine(ctx, s, inside, env.Localize(text)+" -o text", main)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return s.Out.Fail(tools.AsError(env, err))
	}
	if code != 0 {
		return code
	}
	return s.Out.Document("\n" + ending(s.System, env))
}

// runLine prints a command line with its answer, and returns its exit code.
func runLine(ctx context.Context, s *run.Run, inside system.System, text string,
	main func(context.Context, system.System) int) int {
	var answer bytes.Buffer
	inside.Args, inside.Stdout, inside.Stderr = words(text), &answer, &answer
	code := main(ctx, inside)
	mark, end := "$ ", "\n"
	if s.System.Color() {
		mark, end = "\x1b[1m$ ", "\x1b[0m\n"
	}
	return max(code, s.Out.Document(mark+system.Name+" "+text+end+answer.String()))
}

// words returns the words of a line. Quotes keep blanks in a word.
func words(text string) (all []string) {
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

// within returns a system that has nothing of the person's but the language, the zone and the
// clock: the home, the store and the working folder are in a folder.
func within(w system.System, env *tools.Env, folder string) system.System {
	kept := []string{"TZ", "TECHO_NOW", "TERM", "NO_COLOR"}
	set := map[string]string{
		"HOME": folder, "TECHO_STORE": filepath.Join(folder, "store"), "TECHO_ROOTS": folder, "USER": "demo",
		"TECHO_LANG": string(env.Lang),
	}
	if zone := env.Zone.String(); zone != "Local" {
		set["TECHO_TZ"] = zone
	}
	return system.System{
		Program: w.Program, Dir: folder, Now: w.Now, Stdin: strings.NewReader(""),
		StdoutTerminal: w.StdoutTerminal, Columns: w.Columns, Interrupted: w.Interrupted,
		Getenv: func(name string) string {
			if slices.Contains(kept, name) {
				return w.Getenv(name)
			}
			return set[name]
		},
	}
}

func ending(w system.System, env *tools.Env) string {
	return prose(w, env.Localize("That is all; the folder is gone. What next?")) +
		env.Localize("  techo               your day\n"+
			"  techo page          a page in your browser\n"+
			"  techo setup claude  give techo to Claude, or to codex, gemini, cursor, …\n")
}

func prose(w system.System, text string) string {
	width := 0
	if w.StdoutTerminal && w.Columns != nil {
		width = w.Columns()
	}
	if width < 20 || width > widest {
		width = widest
	}
	return strings.Join(columns.Wrap(text, width), "\n") + "\n"
}
