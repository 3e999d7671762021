package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
)

// Live returns the texts of a transcript since its last compaction, and whether that is
// the last thing that happened: whether no message follows the mark and the summary.
func Live(path string) (text string, compacted bool) {
	content, err := readEnd(path)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	for line := range strings.Lines(string(content)) {
		var m struct {
			Type    string `json:"type"`
			Subtype string `json:"subtype"`
			Summary bool   `json:"isCompactSummary"`
		}
		var value any
		if json.Unmarshal([]byte(line), &value) != nil {
			continue
		}
		_ = json.Unmarshal([]byte(line), &m)
		switch {
		case m.Subtype == "compact_boundary", m.Type == "compacted":
			b.Reset()
			compacted = true
		case (m.Type == "user" || m.Type == "assistant" || m.Type == "response_item") && !m.Summary:
			compacted = false
		}
		texts(value, &b)
	}
	return b.String(), compacted
}

// texts writes all texts of a JSON value.
func texts(value any, b *strings.Builder) {
	switch v := value.(type) {
	case string:
		b.WriteString(v)
		b.WriteByte('\n')
	case []any:
		for _, item := range v {
			texts(item, b)
		}
	case map[string]any:
		for _, item := range v {
			texts(item, b)
		}
	}
}

// Snapshot returns what a session of Gemini CLI still has, as JSON, and a mark of its last
// compaction. The mark is "" without one. The transcript has the whole history on a line
// when it was changed, and each message after that.
func Snapshot(path string) (mark, live string) {
	content, err := readEnd(path)
	if err != nil {
		return "", ""
	}
	content = content[max(0, bytes.LastIndex(content, []byte(`{"$set":{"messages":`))):]
	const start, end = "<state_snapshot>", "</state_snapshot>"
	from := bytes.Index(content, []byte(start))
	if from < 0 {
		return "", ""
	}
	summary, _, _ := bytes.Cut(content[from:], []byte(end))
	return fmt.Sprintf("snapshot %x", sha256.Sum256(summary))[:25], string(content)
}
