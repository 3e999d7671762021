package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"techo/commands/run"
	"techo/commands/transcript"
	"techo/tools/jsontree"
)

// given is the part of a client's JSON that techo uses.
type given struct {
	Session      string `json:"session_id"`
	Conversation string `json:"conversation_id"` // Cursor
	SessionID    string `json:"sessionId"`       // VS Code
	Transcript   string `json:"transcript_path"`
	Source       string `json:"source"`
	Prompt       string `json:"prompt"`
}

// read reads the client's JSON. Without one it is empty, and a member of another type is left out.
// problem says why what there is cannot be read.
func read(ctx context.Context, s *run.Run) (g given, problem string) {
	if s.System.StdinTerminal {
		return g, ""
	}
	text, err := s.ReadStdin(ctx, time.Second)
	if err != nil {
		return g, "" // the client keeps stdin open, and has nothing to say
	}
	text = bytes.TrimSpace(jsontree.WithoutBOM(text))
	if len(text) == 0 {
		return g, ""
	}
	if err := json.Unmarshal(text, &g); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) || text[0] != '{' {
		return given{}, s.Env().Localize("The input of the hook is not a JSON object in UTF-8")
	}
	return g, ""
}

// session returns the id of the session, "" for an unknown one.
func (g given) session() string {
	for _, id := range []string{g.Session, g.Conversation, g.SessionID} {
		if regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`).MatchString(id) {
			return id
		}
	}
	return ""
}

// maxMessage is how much of a message is searched for, in bytes: what a person asks
// stands at the start or at the end, around what was pasted.
const maxMessage = 4000

// message returns the message of the person, without the notes of hooks that a client puts
// before it.
func (g given) message() string {
	text := transcript.WithoutHooks(g.Prompt)
	if len(text) <= maxMessage {
		return text
	}
	last := text[len(text)-maxMessage/2:]
	for last != "" && !utf8.RuneStart(last[0]) {
		last = last[1:]
	}
	return jsontree.Cut(text, maxMessage/2) + "\n" + last
}

// within cuts a text to at most max bytes.
func within(text string, max int) string {
	if len(text) <= max {
		return text
	}
	const end = "…"
	return strings.TrimSpace(jsontree.Cut(text, max-len(end))) + end
}
