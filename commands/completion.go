package commands

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/tools"
)

// completionIn is the input of the command completion.
type completionIn struct {
	Shell string `json:"shell" enum:"bash,zsh,fish" en:"The shell" ja:"シェル"`
}

// completionCommand prints the script that completes techo in a shell.
func completionCommand() *command {
	t := tools.Define(tools.Tool{
		Command: "completion",
		About:   tools.Say{EN: "Print the completion script of a shell", JA: "シェルの補完スクリプトを出力する"},
		More: tools.Say{
			EN: "bash: techo completion bash > ~/.local/share/bash-completion/completions/techo\nzsh:  techo completion zsh > a folder of $fpath, as _techo\nfish: techo completion fish > ~/.config/fish/completions/techo.fish",
			JA: "bash: techo completion bash > ~/.local/share/bash-completion/completions/techo\nzsh:  techo completion zsh > $fpath のフォルダの _techo\nfish: techo completion fish > ~/.config/fish/completions/techo.fish",
		},
		Words:    []string{"shell"},
		Examples: []tools.Example{{Does: tools.Say{EN: "Print the script for bash", JA: "bash 用を出力する"}, Line: "completion bash"}},
	}, func(context.Context, *tools.Env, completionIn) (struct{}, error) { return struct{}{}, nil })
	return &command{Tool: t, do: func(_ context.Context, s *session, input []byte) int {
		var in completionIn
		if err := json.Unmarshal(input, &in); err != nil {
			return s.fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
		}
		return s.document(completionScripts[in.Shell])
	}}
}

// completionScripts ask `techo complete` for what may come next. What is on
// the line is passed on as words and never evaluated: a line that holds
// "$(command)" runs nothing when it is completed.
var completionScripts = map[string]string{
	"bash": `# bash completion for techo
_techo() {
	local IFS=$'\n' word
	COMPREPLY=()
	while read -r word; do
		COMPREPLY+=("${word%%$'\t'*}")
	done < <(techo complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	[[ ${#COMPREPLY[@]} -eq 0 ]] && compopt -o default
}
complete -F _techo techo
`,
	"zsh": `#compdef techo
_techo() {
	local -a found
	local word about
	while IFS=$'\t' read -r word about; do
		found+=("${word//:/\\:}${about:+:$about}")
	done < <(techo complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
	if (( ${#found} )); then
		_describe techo found
	else
		_files
	fi
}
if [ "$funcstack[1]" = "_techo" ]; then
	_techo "$@"
else
	compdef _techo techo
fi
`,
	"fish": `# fish completion for techo
function __techo_complete
	set -l words (commandline -opc) (commandline -ct)
	techo complete -- $words[2..-1] 2>/dev/null
end
complete -c techo -f -a '(__techo_complete)'
`,
}

// candidatesIn is the input of the command complete.
type candidatesIn struct {
	Words []string `json:"words,omitempty" en:"The words up to the cursor" ja:"カーソルまでの語"`
}

// candidatesCommand is what the scripts ask.
func candidatesCommand(s *session) *command {
	t := tools.Define(tools.Tool{
		Command:  "complete",
		About:    tools.Say{EN: "Print what may come next on a line, for the completion scripts", JA: "次の語の候補を出力する（補完スクリプト用）"},
		Words:    []string{"words…"},
		Examples: []tools.Example{{Does: tools.Say{EN: "What may follow", JA: "続く候補"}, Line: "complete -- memo a"}},
	}, func(context.Context, *tools.Env, candidatesIn) (struct{}, error) { return struct{}{}, nil })
	return &command{Tool: t, do: func(_ context.Context, s *session, input []byte) int {
		var in candidatesIn
		if err := json.Unmarshal(input, &in); err != nil {
			return s.fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
		}
		var b strings.Builder
		for _, c := range s.candidates(in.Words) {
			b.WriteString(c.word + "\t" + c.about + "\n")
		}
		return s.document(b.String())
	}}
}

// candidate is a word that may come next.
type candidate struct{ word, about string }

// candidates finds what the last word may become.
func (s *session) candidates(words []string) []candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	before := readLine(s.root, words[:len(words)-1])
	var found []candidate
	switch {
	case before.unknown != "":
	case len(before.bare) > 0:
		found = s.values(before.node, before.bare[0])
	case strings.HasPrefix(last, "-"):
		found = s.flags(before.node)
	default:
		found = s.subcommands(before)
	}
	var fitting []candidate
	for _, c := range found {
		if strings.HasPrefix(c.word, last) {
			fitting = append(fitting, c)
		}
	}
	return fitting
}

func (s *session) subcommands(l line) (found []candidate) {
	if len(l.words) == 0 {
		for _, n := range l.node.Commands {
			if n.Hidden || n.Name == "complete" {
				continue
			}
			about := ""
			if c := commandOf(n); c != nil {
				about = s.env().Say(c.About)
			}
			found = append(found, candidate{n.Name, about})
		}
	}
	c := commandOf(l.node)
	if c == nil {
		return found
	}
	field, _ := c.Word(len(l.words))
	if p := c.Input().Property(field); p != nil {
		found = append(found, s.valuesOf(c, *p)...)
	}
	return found
}

func (s *session) flags(node *cli.Command) (found []candidate) {
	env := s.env()
	if c := commandOf(node); c != nil {
		for _, p := range c.Input().Properties {
			found = append(found, candidate{"--" + flagName(p), env.Say(p.About)})
		}
	}
	for _, g := range settings {
		found = append(found, candidate{"--" + g.name, env.Say(g.about)})
	}
	return append(found, candidate{"--help", env.Say(tools.Say{EN: "Show the help", JA: "ヘルプを表示する"})})
}

// values finds what may stand behind a flag.
func (s *session) values(node *cli.Command, name string) []candidate {
	if c := commandOf(node); c != nil {
		if field, _, _ := c.flag(name); field != "" {
			return s.valuesOf(c, *c.Input().Property(field))
		}
	}
	if g := findSetting(name); g != nil && (g.name == "lang" || g.name == "output") {
		var found []candidate
		for v := range strings.SplitSeq(g.value, "|") {
			found = append(found, candidate{word: v})
		}
		return found
	}
	return nil
}

func (s *session) valuesOf(c *command, p tools.Property) (found []candidate) {
	schema := p.Schema
	if schema.Kind == tools.Array {
		schema = schema.Items
	}
	for _, v := range schema.Enum {
		found = append(found, candidate{word: v})
	}
	// A field for a tool's name is one of ours.
	if c.Name == "" && (p.Name == "tool" || p.Name == "names") {
		for _, t := range s.offered {
			found = append(found, candidate{t.Name, s.env().Say(t.About)})
		}
	}
	return found
}
