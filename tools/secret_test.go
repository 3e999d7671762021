package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"techo/store/ledger"
)

type keptIn struct {
	Text string   `json:"text"`
	Tags []string `json:"tags"`
}

func (keptIn) Keeps() []string { return []string{"text", "tags"} }

// TestKeptTextTooLong refuses a text that is too long to keep before it is searched for secrets.
func TestKeptTextTooLong(t *testing.T) {
	tool := Define(Tool{Name: "keep"}, func(_ context.Context, _ *Env, in keptIn) (keptIn, error) { return in, nil })
	most := strings.Repeat("word\n", ledger.MaxText/5)
	for _, in := range []keptIn{{most, []string{}}, {most + "words", []string{}}, {"x", []string{"y", most + "words"}}} {
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		_, refused := tool.Invoke(t.Context(), anyEnv(), Call{Input: raw})
		if long := in.Text != most; long != (refused != nil) || long && refused.Code != LimitExceeded {
			t.Errorf("%d bytes: %v", len(raw), refused)
		}
	}
}
