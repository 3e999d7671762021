package tools

import "context"

// Channel is a way to reach the person.
type Channel string

// The channels that an interface may offer.
const (
	OnTerminal Channel = "tty"   // the person's terminal, if it is safe to use
	OnStdin    Channel = "stdin" // lines of stdin, with prompts on stderr
)

// Terminal asks the person. One goroutine uses it at a time.
type Terminal interface {
	// Discard forgets what was typed so far. It is called before a question is shown,
	// because what was typed before cannot be an answer to it.
	Discard() error

	// Print shows a text without the control sequences in it.
	Print(text string) error

	// Ask shows a prompt, waits for a line and returns it without its line end. io.EOF
	// means that the person closed the input (Ctrl-D).
	Ask(ctx context.Context, p Prompt) (string, error)

	// Shows returns how much of a prompt Ask shows.
	Shows() PromptParts

	// Close releases the terminal.
	Close() error
}

// PromptParts says how much of a prompt a Terminal shows.
type PromptParts int

// A program that reads lines shows the label only. A plain terminal cannot show
// anything under the line; the caller prints how to answer before the question.
const (
	OnlyLabel PromptParts = iota
	PlainLine
	WholePrompt
)

// Prompt is a line to be typed.
type Prompt struct {
	Label  string // before the line
	Secret bool   // what is typed is not shown

	// Below returns the rows under the line: what was typed, before arrow keys changed
	// it, and the present text decide on them. Each takes at most the given columns.
	// It may be nil.
	Below func(typed, text string, columns, rows int) []string

	// Step returns the text after an arrow key: by is 1 for the next choice and -1 for
	// the previous one. It may be nil.
	Step func(typed, text string, by int) string

	TooLong string // shown when a text does not fit

	// Question is printed again after the person has seen other things, as after a
	// suspension.
	Question string
}
