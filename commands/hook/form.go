package hook

import (
	"fmt"

	"techo/tools/jsontree"
)

// form returns the answer of a client's hook that adds a text, "{}" for none.
func form(hook, client, text string) string {
	var answer any = struct{}{}
	switch {
	case text == "":
	case client == "cursor" && hook == Prompt:
		answer = map[string]any{"continue": true, "additional_context": text}
	case client == "cursor":
		answer = map[string]any{"additional_context": text}
	default:
		answer = map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": event(hook, client),
			"additionalContext": text}}
	}
	document, err := jsontree.Marshal(answer)
	if err != nil {
		panic(fmt.Sprint("hook: ", err)) // the answer consists of strings
	}
	return string(document) + "\n"
}

// event returns the client's name of a hook.
func event(hook, client string) string {
	switch {
	case hook == Start:
		return "SessionStart"
	case client == "gemini":
		return "BeforeAgent"
	}
	return "UserPromptSubmit"
}
