package runtest

import (
	"context"
	"io"
	"strings"
	"techo/tools"
)

// Typist is a terminal at which given lines are typed, one at each prompt.
type Typist struct {
	Lines  []string
	Screen strings.Builder // what was printed, with the labels of the prompts
}

// Types returns a function that opens a terminal at which lines are typed.
func Types(lines ...string) func() (tools.Terminal, error) {
	t := &Typist{Lines: lines}
	return func() (tools.Terminal, error) { return t, nil }
}

// Ask types the next line, and Ctrl-D after the last one.
func (t *Typist) Ask(_ context.Context, p tools.Prompt) (string, error) {
	t.Screen.WriteString(p.Label + "\n")
	if len(t.Lines) == 0 {
		return "", io.EOF
	}
	line := t.Lines[0]
	t.Lines = t.Lines[1:]
	return line, nil
}

// Print adds to the screen.
func (t *Typist) Print(text string) error {
	t.Screen.WriteString(text)
	return nil
}

// Discard does nothing: nothing is typed ahead.
func (t *Typist) Discard() error { return nil }

// Shows returns the parts of a plain terminal.
func (t *Typist) Shows() tools.PromptParts { return tools.PlainLine }

// Close does nothing: the next command types at the same terminal.
func (t *Typist) Close() error { return nil }
