package setup

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// opencodePlugin is a program for clients whose hooks are functions of a plugin.
//
//go:embed opencode.js
var opencodePlugin string

// pluginHead is the beginning of each version of the plugin.
const pluginHead = "// Written by techo setup"

// plugin returns the plugin that runs a program with settings.
func plugin(program string, settings []string) string {
	if settings == nil {
		settings = []string{}
	}
	return strings.NewReplacer("PROGRAM", literal(program), "SETTINGS", literal(settings)).Replace(opencodePlugin)
}

// literal returns a value in JavaScript.
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
