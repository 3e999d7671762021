// Package transcript reads what a person asked for from the transcript of an agent.
package transcript

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"techo/internal/legible"
	"techo/internal/secrets"
)

// maxRead bounds the part of a transcript that is read, from its end, in bytes.
const maxRead = 8 << 20

const maxRequest = 500

// Requests returns the last requests of the person in a transcript, with at most max
// characters together, in the order of their last time and without secrets; own are the person's patterns of these. A transcript is a file with a JSON document on each
// line, or one document with a list of messages. Lines in other forms are skipped.
func Requests(path string, max int, own ...*regexp.Regexp) ([]string, error) {
	text, err := readEnd(path)
	if err != nil {
		return nil, err
	}
	var all []string
	add := func(m message) {
		if text := m.request(own); text != "" {
			all = append(slices.DeleteFunc(all, func(before string) bool { return before == text }), text)
		}
	}
	var whole struct {
		Messages []message `json:"messages"`
	}
	if json.Unmarshal(text, &whole) == nil && len(whole.Messages) > 0 {
		for _, m := range whole.Messages {
			add(m)
		}
	} else {
		for line := range strings.Lines(string(text)) {
			var m message
			if json.Unmarshal([]byte(line), &m) == nil {
				add(m)
			}
		}
	}
	size := 0
	for i := len(all) - 1; i >= 0; i-- {
		if size += utf8.RuneCountInString(all[i]); size > max {
			return all[i+1:], nil
		}
	}
	return all, nil
}

// readEnd reads the end of a regular file.
func readEnd(path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		return nil, fs.ErrInvalid
	}
	if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, max(0, st.Size()-maxRead), maxRead))
}

type message struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	IsMeta    bool            `json:"isMeta"`
	Sidechain bool            `json:"isSidechain"`
	Content   json.RawMessage `json:"content"`
	Message   *message        `json:"message"` // Claude Code, Cursor
	Payload   *message        `json:"payload"` // Codex
}

// UnmarshalJSON skips a member "message" that is a text.
func (m *message) UnmarshalJSON(text []byte) error {
	type plain message
	var p plain
	// A value of another type than expected leaves the other members read.
	if err := json.Unmarshal(text, &p); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return err
	}
	*m = message(p)
	return nil
}

// request returns the text of a message of the person, "" for other messages.
func (m *message) request(own []*regexp.Regexp) string {
	if m.IsMeta || m.Sidechain {
		return ""
	}
	for _, inner := range []*message{m.Message, m.Payload} {
		if inner != nil {
			if inner.Role == "user" || inner.Role == "" && m.Role == "user" {
				return inner.text(own)
			}
			return ""
		}
	}
	if m.Role == "user" || m.Role == "" && m.Type == "user" {
		return m.text(own)
	}
	return ""
}

// text returns the text of the content: a text, or a list of parts.
func (m *message) text(own []*regexp.Regexp) string {
	var text string
	if json.Unmarshal(m.Content, &text) != nil {
		var parts []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			return ""
		}
		for _, p := range parts {
			if p.Type == "text" || p.Type == "input_text" || p.Type == "" {
				text += said(p.Text)
			}
		}
	}
	text = said(text)
	if legible.Blank(text) {
		return ""
	}
	text = strings.Join(strings.Fields(secrets.Hide(text, "…", own...)), " ")
	if runes := []rune(text); len(runes) > maxRequest {
		text = string(runes[:maxRequest]) + "…"
	}
	return text
}

// said returns a text of the person, "" for one that the client or a hook has added.
func said(text string) string {
	text = WithoutHooks(text)
	if text == "" || strings.HasPrefix(text, "<") {
		return ""
	}
	return text + "\n"
}

// WithoutHooks returns a message without the notes of hooks that Gemini CLI puts before it.
func WithoutHooks(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "<hook_context>"); ok {
		if _, behind, ended := strings.Cut(rest, "</hook_context>"); ended {
			text = strings.TrimSpace(behind)
		}
	}
	return text
}
