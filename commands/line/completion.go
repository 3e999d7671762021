package line

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/tools"
	"techo/tools/schema"
)

// completionIn is the input of the command completion.
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

// candidatesIn is the input of the command complete.
type candidatesIn struct {
	Words []string `json:"words,omitempty" doc:"The words up to the cursor"`
}

// CandidatesCommand prints completions for the scripts.
func CandidatesCommand(a *App) *Command {
	return Answering(tools.Tool{
		Command:  "complete",
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

// candidate is a possible next word.
type candidate struct{ word, about string }

// candidates returns the completions of the last word.
func (s *App) candidates(words []string) (fitting []candidate) {
	if len(words) == 0 {
		words = []string{""}
	}
	typed, last := words[:len(words)-1], words[len(words)-1]
	s.whole()
	before := readLine(s.root, typed)
	// After --, a word is data, even --help.
	data := !readLine(s.root, append(slices.Clone(typed), "--help")).Help
	name, value, isFlag := cutFlag(last)
	var found []candidate
	switch {
	case before.Unknown != "":
	case len(before.withoutValue) > 0:
		found = s.values(before, before.withoutValue[0])
	case data:
		found = s.words(before)
	case isFlag && value != nil:
		for _, c := range s.values(before, name) {
			found = append(found, candidate{strings.TrimSuffix(last, *value) + c.word, c.about})
		}
	case strings.HasPrefix(last, "-"):
		found = s.flags(before.node)
	default:
		found = append(s.subcommands(before), s.words(before)...)
	}
	for _, c := range found {
		if strings.HasPrefix(c.word, last) {
			fitting = append(fitting, c)
		}
	}
	return fitting
}

// subcommands returns the names of commands that can follow.
func (s *App) subcommands(l Line) (found []candidate) {
	if len(l.words) > 0 {
		return nil
	}
	for _, n := range l.node.Commands {
		if n.Hidden || n.Name == "complete" {
			continue
		}
		about := ""
		if c := commandOf(n); c != nil {
			about = s.Run.Env().Localize(c.Tool.About)
		} else {
			about = strings.Join(allNames(n), ", ")
		}
		found = append(found, candidate{n.Name, about})
	}
	return found
}

// words returns the completions of a word that is data.
func (s *App) words(l Line) []candidate {
	c := commandOf(l.node)
	if c == nil {
		return nil
	}
	if c.Tool.Command == "help" { // it completes like the command that it names
		var named []string
		for _, w := range l.words {
			named = append(named, w.text)
		}
		if l = readLine(s.root, named); l.Unknown != "" {
			return nil
		}
		return s.subcommands(l)
	}
	field, _ := c.Tool.Word(len(l.words))
	if p := c.Tool.Input().Property(field); p != nil {
		return s.valuesOf(l, c, *p)
	}
	return nil
}

func (s *App) flags(node *cli.Command) (found []candidate) {
	env := s.Run.Env()
	if c := commandOf(node); c != nil {
		for _, p := range c.Tool.Input().Properties {
			found = append(found, candidate{"--" + c.FlagName(p), env.Localize(p.About)})
		}
	}
	for _, g := range run.Settings {
		if !g.Fits(commandOf(node).place()) {
			continue
		}
		found = append(found, candidate{"--" + g.Name, env.Localize(g.About)})
	}
	return append(found, candidate{"--help", env.Localize("Show the help")})
}

// values returns the completions of a flag's value.
func (s *App) values(l Line, name string) []candidate {
	if c := commandOf(l.node); c != nil {
		if field, _, _ := c.flag(name); field != "" {
			return s.valuesOf(l, c, *c.Tool.Input().Property(field))
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

func (s *App) valuesOf(l Line, c *Command, p schema.Property) (found []candidate) {
	of := p.Schema
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
		for _, t := range s.Run.Offered {
			found = append(found, candidate{t.Name, s.Run.Env().Localize(t.About)})
		}
	}
	return append(found, s.existing(l, p)...)
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
