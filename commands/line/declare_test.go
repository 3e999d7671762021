package line

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/tools"
)

// noteIn is the input of a test command.
type noteIn struct {
	Name     string   `json:"name" doc:"Name"`
	Priority int      `json:"priority,omitempty" doc:"Priority"`
	Done     bool     `json:"done,omitempty" doc:"It is done"`
	Tags     []string `json:"tags,omitempty" doc:"Tags"`
}

func noteCommand() *Command {
	return &Command{Tool: tools.Define(tools.Tool{Command: "note", Words: []string{"name", "tags…"}},
		func(context.Context, *tools.Env, noteIn) (struct{}, error) { return struct{}{}, nil })}
}

// parsed is the result of parsing a line.
type parsed struct {
	json  string
	extra []string
	err   error
}

// parse parses words, with the library alone if alone is set.
func parse(alone bool, words ...string) (p parsed) {
	c := noteCommand()
	in := run.NewInput(&tools.Env{}, c.Tool)
	act := func(_ context.Context, node *cli.Command) error {
		p.json, p.extra = string(in.JSON()), node.Args().Slice()
		return nil
	}
	root := tree([]*Command{c}, nil, act)
	l := readLine(root, append([]string{"note"}, words...))
	args := slices.Concat([]string{"techo", "note"}, words)
	if !alone {
		var texts []string
		for _, w := range l.words {
			texts = append(texts, w.text)
		}
		args = slices.Concat([]string{"techo", "note"}, l.arguments(c, texts))
	}
	declare(l.node, c, in, &l)
	p.err = root.Run(context.Background(), args)
	return p
}

// TestDeclare compares how the library and techo parse the same words. The
// comment of Line.arguments has the same list: a case that the library learns to parse
// can be removed from both, and from readLine.
func TestDeclare(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		want  string // by techo
		same  bool   // the library alone returns the same
	}{
		"flag after a word":        {[]string{"tea", "--priority", "5"}, `{"priority":5,"name":"tea"}`, true},
		"value that begins with -": {[]string{"--name", "-5"}, `{"name":"-5"}`, true},
		"value with blanks":        {[]string{"--name= tea "}, `{"name":" tea "}`, true},
		"value with a comma":       {[]string{"--tag", "a,b", "--tag=c"}, `{"tags":["a,b","c"]}`, true},
		"words after --":           {[]string{"--", "--name", "x"}, `{"name":"--name","tags":["x"]}`, true},
		"name of a list field":     {[]string{"--tags=a"}, `{"tags":["a"]}`, true},
		"list of words":            {[]string{"tea", "a", "b"}, `{"name":"tea","tags":["a","b"]}`, true},

		"word such as -5":          {[]string{"-5", "--priority", "5"}, `{"priority":5,"name":"-5"}`, false},
		"word such as - item":      {[]string{"- item", "--priority=5"}, `{"priority":5,"name":"- item"}`, false},
		"word with a blank and -":  {[]string{" --x"}, `{"name":" --x"}`, false},
		"switch without a value":   {[]string{"tea", "--done"}, `{"done":true,"name":"tea"}`, false},
		"switch with a word after": {[]string{"--done", "tea"}, `{"done":true,"name":"tea"}`, false},
		"empty switch":             {[]string{"--done=", "tea"}, `{"name":"tea"}`, false},
		"two unknown flags":        {[]string{"tea", "--x", "--y"}, `{"name":"tea"}`, false},
		"flag without its value":   {[]string{"tea", "--name"}, `{"name":"tea"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := parse(false, c.words...); got.json != c.want || got.err != nil {
				t.Errorf("techo: %+v, want %s", got, c.want)
			}
			alone := parse(true, c.words...)
			if same := alone.json == c.want && alone.err == nil; same != c.same {
				t.Errorf("the library alone: %+v, want the same: %v", alone, c.same)
			}
		})
	}
}

// TestDeclareStdin shows that the library does not report whether a word - was
// before or after --, where it is stdin or a dash.
func TestDeclareStdin(t *testing.T) {
	before, after := parse(true, "-"), parse(true, "--", "-")
	if before.json != after.json {
		t.Errorf("%+v, %+v", before, after)
	}
}

// TestDeclareSubcommand shows that the library takes a word for the name of a
// command below the one that runs, also after --.
func TestDeclareSubcommand(t *testing.T) {
	ran := ""
	act := func(_ context.Context, c *cli.Command) error { ran = c.Name; return nil }
	below := silence(&cli.Command{Name: "below", Action: act})
	root := silence(&cli.Command{Name: "techo", Action: act, Commands: []*cli.Command{below}})
	root.SkipFlagParsing = false
	if err := root.Run(context.Background(), []string{"techo", "--", "below"}); err != nil || ran != "below" {
		t.Errorf("%q, %v", ran, err)
	}
}

// TestDeclareCompletion shows that the completion of the library takes a last
// word of data for itself.
func TestDeclareCompletion(t *testing.T) {
	ran := false
	root := silence(&cli.Command{Name: "techo", Action: func(context.Context, *cli.Command) error {
		ran = true
		return nil
	}})
	root.EnableShellCompletion = true
	word := "--generate-shell-completion"
	if err := root.Run(context.Background(), []string{"techo", "tea", word}); err != nil || ran {
		t.Errorf("the command ran: %v, %v", ran, err)
	}
	if got := parse(false, "tea", "--", word); !strings.Contains(got.json, word) {
		t.Errorf("techo: %+v", got)
	}
}
