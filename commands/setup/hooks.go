package setup

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"techo/internal/splice"
	"techo/tools"
)

// The hooks of techo, as arguments of techo hook.
const (
	sessionStart = "session-start"
	eachPrompt   = "prompt"
	preCompact   = "pre-compact"
)

// hookSeconds is how long a client waits for a hook where it has no other unit.
const hookSeconds = 10

// spawned is a hook that the client starts without a shell.
func spawned(program string, args []string) object {
	return object{{"type", "command"}, {"command", program}, {"args", args}, {"timeout", hookSeconds}}
}

// inShell is a hook whose client has a shell start it. The line has no variables; each
// word is quoted.
func inShell(timeout int) func(program string, args []string) object {
	return func(program string, args []string) object {
		return object{{"type", "command"}, {"command", shellLine(program, args)}, {"timeout", timeout}}
	}
}

// lineOnly is inShell for Cursor.
func lineOnly(program string, args []string) object {
	return object{{"command", shellLine(program, args)}, {"timeout", hookSeconds}}
}

func shellLine(program string, args []string) string {
	quote := tools.ShellWord
	if runtime.GOOS == "windows" {
		quote = windowsWord
	}
	words := []string{quote(program)}
	for _, a := range args {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

// windowsWord quotes a word for cmd.exe and PowerShell if it needs quotes.
func windowsWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t&|<>^()@,;=`'$") {
		return word
	}
	return `"` + word + `"`
}

// noShellWord are characters that are special also between the quotes of windowsWord.
const noShellWord = "\"%!`$\r\n"

// hookArgs returns the arguments of techo for a hook of a client.
func hookArgs(hook, client string, settings []string) []string {
	return append([]string{"hook", hook, "--client", client}, settings...)
}

// isHook reports whether a hook of a client's file is techo's hook for a client.
func isHook(value any, hook, client string) bool {
	h, _ := value.(map[string]any)
	line, _ := h["command"].(string)
	args, _ := h["args"].([]any)
	for _, a := range args {
		word, _ := a.(string)
		line += " " + word
	}
	return strings.Contains(line+" ", " hook "+hook+" --client "+client+" ")
}

func (c client) hookFormat() splice.Format {
	if c.name == "gemini" { // the file with the servers
		return c.format
	}
	return splice.JSON{}
}

func (c client) hookEdits(program string, settings []string) (all []edit) {
	for _, e := range c.events {
		all = append(all, hookEdit{path: []string{"hooks", e.name}, hook: e.hook, client: c.name, group: e.group,
			value: e.value(program, hookArgs(e.hook, c.name, settings))})
	}
	return all
}

// opencodePlugin is a program for clients whose hooks are functions of a plugin.
//
//go:embed opencode.js
var opencodePlugin string

// pluginHead is the beginning of each version of the plugin.
const pluginHead = "// Written by techo setup"

func plugin(program string, settings []string) string {
	if settings == nil {
		settings = []string{}
	}
	return strings.NewReplacer("PROGRAM", literal(program), "SETTINGS", literal(settings)).Replace(opencodePlugin)
}

func literal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprint("setup: ", err)) // the value consists of strings
	}
	return string(text)
}

// withoutSettings removes the line of a plugin that another set-up may have otherwise.
func withoutSettings(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "const settings = ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
