package line

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/tools"
	"techo/tools/schema"
)

type completionIn struct {
	Shell string `json:"shell" enum:"bash,zsh,fish,powershell" doc:"The shell"`
}

// CompletionCommand prints a shell's completion script.
func CompletionCommand() *Command {
	return Answering(tools.Tool{
		Command: "completion",
		About:   "Print the completion script of a shell",
		More: "bash: techo completion bash > ~/.local/share/bash-completion/completions/techo\nzsh:  techo " +
			"completion zsh > a folder of $fpath, as _techo\nfish: techo completion fish > " +
			"~/.config/fish/completions/techo.fish\npowershell: techo completion powershell >> $PROFILE",
		Words:    []string{"shell"},
		Examples: []tools.Example{{Does: "Print the script for bash", Line: "completion bash"}},
	}, func(_ context.Context, s *run.Run, in completionIn) int {
		return s.Out.Document(completionScripts[in.Shell])
	})
}

// completionScripts run `techo complete` to get completions. They pass the line
// as words and never evaluate it: completing a line with "$(command)" runs
// nothing.
var completionScripts = map[string]string{
	"bash": bashCompletion,
	"zsh":  zshCompletion,
	"fish": fishCompletion,

	"powershell": powershellCompletion,
}

const bashCompletion = `# bash completion for techo
_techo() {
	local word about before out typed last cut quoted rest=$COMP_LINE
	local -a words=() shown=()
	COMPREPLY=()
	# Bash breaks words at = and : too. What stands together is one word.
	for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
		before=${rest%%"$word"*}
		rest=${rest#"$before$word"}
		if [[ -n $word && -z $before && ${#words[@]} -gt 0 ]]; then
			words[${#words[@]}-1]+=$word
		else
			words+=("$word")
		fi
	done
	last=${words[${#words[@]}-1]}
	[[ $last == *[\"\']* ]] || words[${#words[@]}-1]=${last//\\/}
	out=$(command techo complete -- "${words[@]:1}" 2>/dev/null) || out=
	# Bash puts in only what follows the last break.
	typed=${COMP_WORDS[COMP_CWORD]}
	[[ $typed == [=:] ]] && typed=
	cut=${last%"$typed"}
	while IFS=$'\t' read -r word about; do
		[[ -n $word ]] || continue
		printf -v quoted %q "${word#"$cut"}"
		COMPREPLY+=("$quoted")
		shown+=("$quoted${about:+  # $about}")
	done <<<"$out"
	# A list of several shows what each is. Bash puts in only what they have in common.
	[[ ${#shown[@]} -gt 1 && $COMP_TYPE == @(9|33|63|64) ]] && COMPREPLY=("${shown[@]}")
	[[ ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default 2>/dev/null
}
complete -F _techo techo
`

const zshCompletion = `#compdef techo
_techo() {
	local out word about
	local -a found
	out=$(command techo complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null) || out=
	while IFS=$'\t' read -r word about; do
		[[ -n $word ]] && found+=("${word//:/\\:}${about:+:$about}")
	done <<<"$out"
	if (( ${#found} )); then
		_describe techo found
	elif [[ $words[CURRENT] != *[\$\` + "`" + `\;\&\|\<\>\(\)]* ]]; then # for _files would run them
		compset -P '--*='
		_files
	fi
}
if [ "$funcstack[1]" = "_techo" ]; then
	_techo "$@"
else
	compdef _techo techo
fi
`

const fishCompletion = `# fish completion for techo
function __techo_complete
	set -l last (commandline -ct)
	set -l plain (string unescape -- $last); and set last $plain
	set -l words (commandline -opc) $last
	set -g __techo_found (command techo complete -- $words[2..-1] 2>/dev/null)
	and test (count $__techo_found) -gt 0
end
complete -c techo -n __techo_complete -f -k -a '$__techo_found'
`

// completeName is the command that the scripts call. Nobody types it, so nothing suggests it.
const completeName = "complete"

type candidatesIn struct {
	Words []string `json:"words,omitempty" doc:"The words up to the cursor"`
}

// CandidatesCommand prints completions for the scripts.
func CandidatesCommand(a *App) *Command {
	return Answering(tools.Tool{
		Command:  completeName,
		About:    "Print the completions of a line, for the completion scripts",
		Words:    []string{"words…"},
		Examples: []tools.Example{{Does: "Complete a line", Line: "complete -- memo a"}},
	}, func(_ context.Context, _ *run.Run, in candidatesIn) int {
		var b strings.Builder
		for _, c := range a.candidates(in.Words) {
			b.WriteString(c.word + "\t" + c.about + "\n")
		}
		return a.Run.Out.Document(b.String())
	})
}

type candidate struct{ word, about string }

func (a *App) candidates(words []string) (fitting []candidate) {
	if len(words) == 0 {
		words = []string{""}
	}
	typed, last := words[:len(words)-1], words[len(words)-1]
	before, node := parse(a.whole(), typed)
	// After --, a word is data, even --help.
	asks, _ := parse(a.whole(), append(slices.Clone(typed), "--help"))
	name, value, isFlag := cutFlag(last)
	var found []candidate
	switch {
	case before.Unknown != "":
	case len(before.withoutValue) > 0:
		found = a.values(before, before.withoutValue[0])
	case !asks.Help:
		found = a.words(before)
	case isFlag && value != nil:
		for _, c := range a.values(before, name) {
			found = append(found, candidate{strings.TrimSuffix(last, *value) + c.word, c.about})
		}
	case strings.HasPrefix(last, "-"):
		found = a.flags(before.command)
	default:
		if len(before.words) == 0 {
			found = a.subcommands(node)
		}
		found = append(found, a.words(before)...)
	}
	for _, c := range found {
		if strings.HasPrefix(c.word, last) {
			fitting = append(fitting, c)
		}
	}
	return fitting
}

func (a *App) subcommands(node *cli.Command) (found []candidate) {
	for _, n := range node.Commands {
		if n.Hidden || n.Name == completeName {
			continue
		}
		about := ""
		if c := commandOf(n); c != nil {
			about = a.Run.Env().Localize(c.Tool.About)
		} else {
			var names []string
			for _, below := range n.Commands {
				names = append(names, below.Name)
			}
			about = strings.Join(names, ", ")
		}
		found = append(found, candidate{n.Name, about})
	}
	return found
}

func (a *App) words(l *Line) []candidate {
	c := l.command
	if c == nil {
		return nil
	}
	if c.Tool.Command == "help" { // it completes like the command that it names
		var named []string
		for _, w := range l.words {
			named = append(named, w.text)
		}
		about, node := parse(a.whole(), named)
		if about.Unknown != "" || len(about.words) > 0 {
			return nil
		}
		return a.subcommands(node)
	}
	field, _ := c.Tool.Word(len(l.words))
	if p := c.Tool.Input().Property(field); p != nil {
		return a.valuesOf(l, p)
	}
	return nil
}

func (a *App) flags(c *Command) (found []candidate) {
	env := a.Run.Env()
	if c != nil {
		for _, p := range c.Tool.Input().Properties {
			found = append(found, candidate{"--" + c.FlagName(p), env.Localize(p.About)})
		}
	}
	for _, g := range run.Settings {
		if g.Fits(c.place()) {
			found = append(found, candidate{"--" + g.Name, env.Localize(g.About)})
		}
	}
	return append(found, candidate{"--help", env.Localize("Show the help")})
}

func (a *App) values(l *Line, name string) []candidate {
	if l.command != nil {
		if p, _ := l.command.field(name); p != nil {
			return a.valuesOf(l, p)
		}
	}
	return choices(name)
}

// choices returns the values of a setting that has only some.
func choices(setting string) (found []candidate) {
	if g := run.FindSetting(setting); g != nil && (g.Name == "lang" || g.Name == "output") {
		for v := range strings.SplitSeq(g.Value, "|") {
			found = append(found, candidate{word: v})
		}
	}
	return found
}

func (a *App) valuesOf(l *Line, p *schema.Property) (found []candidate) {
	c, of := l.command, p.Schema
	if of.Kind == schema.Array {
		of = of.Items
	}
	for _, v := range of.Enum {
		found = append(found, candidate{word: v})
	}
	if p.Name == "value" && c.Tool.Command == "config set" && len(l.words) > 0 {
		found = append(found, choices(l.words[0].text)...)
	}
	// These fields are names of tools.
	if c.Tool.Name == "" && (p.Name == "tool" || p.Name == "names") {
		for _, t := range a.Run.Offered {
			found = append(found, candidate{t.Name, a.Run.Env().Localize(t.About)})
		}
	}
	return append(found, a.existing(l, p)...)
}

// powershellCompletion works in Windows PowerShell 5.1 and in PowerShell 7. It
// takes the words from the parsed line: strings without their quotes, everything
// else as typed. PowerShell before 7.3 drops an empty argument unless it is
// quoted twice. The curly quotes end a text in PowerShell like the straight one, so
// each of them is doubled.
const powershellCompletion = `# PowerShell completion for techo
Register-ArgumentCompleter -Native -CommandName techo -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)
	$words = @($commandAst.CommandElements | Select-Object -Skip 1 |
		Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
		ForEach-Object {
			if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
			else { $_.Extent.Text }
		})
	if ($wordToComplete -eq '') {
		$words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
	}
	& techo complete '--' @words 2>$null | ForEach-Object {
		$word, $about = $_ -split "\t", 2
		$text = $word
		if ($word -match '[^\w./:=+-]') { $text = "'" + ($word -replace "['\u2018-\u201b]", '$0$0') + "'" }
		if (-not $about) { $about = $word }
		[System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $about)
	}
}
`

// listing is a call that lists the records of a kind.
type listing struct {
	tool, input string
	list        string // the list in the result
	word, about string // the fields of its elements
}

// listingOf returns the call that lists what a field names: the records of a kind, or those that a
// field with this name has in every tool.
func listingOf(p *schema.Property) listing {
	of := p.Schema
	if of.Kind == schema.Array {
		of = of.Items
	}
	switch cmp.Or(of.Record, p.Name) {
	case "memo":
		return listing{"list_memo", `{"limit":1000}`, "memos", "name", "content"}
	case "tag", "tags":
		return listing{"list_memo_tags", `{}`, "tags", "tag", ""}
	case "memory":
		return listing{"list_memory", `{"limit":200}`, "memories", "id", "caption"}
	case "event":
		const soon = `{"date_from":"today","date_to":"+90d","limit":200}`
		return listing{"list_events", soon, "events", "event_id", "title"}
	case "todo":
		const open = `{"later":true,"limit":1000}`
		return listing{"list_todos", open, "todos", "todo_id", "title"}
	case "question":
		return listing{"list_questions", `{}`, "questions", "question_id", "question"}
	case "change":
		return listing{"list_history", `{"limit":50}`, "changes", "id", "title"}
	case "calendar", "calendars", "to_calendar":
		return listing{"list_calendars", `{}`, "calendars", "name", "kind"}
	case "space", "to_space":
		return listing{"list_spaces", `{}`, "spaces", "name", ""}
	case "token":
		return listing{"token list", `{}`, "tokens", "id", "user"}
	case "setting":
		return listing{"config list", `{}`, "settings", "name", "value"}
	}
	return listing{}
}

// timeout is how long completions wait for a store.
const timeout = 2 * time.Second

// existing returns the names or ids in the store that fit a field. It returns nil
// if the store cannot be read: the command itself reports that.
func (a *App) existing(l *Line, p *schema.Property) (found []candidate) {
	from := listingOf(p)
	var lister *tools.Tool
	for _, other := range a.Commands() {
		if t := other.Tool; from.tool != "" && (t.Name == from.tool || t.Command == from.tool) {
			lister = t
		}
	}
	r := *a.Run
	r.Resources, r.Out = &run.Resources{}, run.NewPrinter(r.System)
	if lister == nil || len(r.Configure(run.Given{Path: l.Path, Settings: l.Settings, Roots: l.roots})) > 0 {
		return nil
	}
	defer r.Close()
	ctx, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	result, e := r.CallTool(ctx, lister, tools.Call{Input: []byte(from.input)})
	if e != nil {
		return nil
	}
	var lists map[string]json.RawMessage
	var elements []map[string]any
	if json.Unmarshal(result.JSON, &lists) != nil || json.Unmarshal(lists[from.list], &elements) != nil {
		return nil
	}
	series := map[string]bool{}
	for _, one := range elements {
		word, _ := one[from.word].(string)
		about, _ := one[from.about].(string)
		if of, _ := one["recurring_event_id"].(string); of != "" {
			if series[of] { // the next occurrence stands for all
				continue
			}
			series[of] = true
			start, _ := one["start"].(string)
			about += " (" + start[:min(len(start), len(time.DateOnly))] + ")"
		}
		if word != "" && !strings.ContainsFunc(word, unicode.IsControl) {
			found = append(found, candidate{word, oneLine(about)})
		}
	}
	return found
}

// oneLine shortens a text for the description of a completion.
func oneLine(text string) string {
	const most = 60 // characters
	separates := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	text = strings.Join(strings.FieldsFunc(text, separates), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
