package ask

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"techo/store/question"
	"techo/tools"
)

// slow is a terminal at which a letter is typed each second, and Enter after eight.
type slow struct{}

func (slow) Discard() error           { return nil }
func (slow) Print(string) error       { return nil }
func (slow) Shows() tools.PromptParts { return tools.WholePrompt }
func (slow) Close() error             { return nil }

func (slow) Ask(ctx context.Context, p tools.Prompt) (string, error) {
	text := ""
	for range 8 {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		text += "a"
		p.Below(text, text, 80, 24)
	}
	return text, nil
}

// TestSlowTyping types for longer than the wait: the prompt stays.
func TestSlowTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := &tools.Env{Now: time.Now, Ask: tools.AskSettings{Clock: time.Now}}
		w := &waiter{env: env, term: slow{}, via: "tty", wait: 2 * time.Second, began: time.Now(),
			question: question.Question{Text: "Q", Status: question.Pending}}
		out, err := w.run(t.Context())
		if err != nil || out.Answer != "aaaaaaaa" {
			t.Errorf("%+v, %v", out, err)
		}
	})
}
