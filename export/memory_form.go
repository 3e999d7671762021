package export

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/store/ledger"
	"techo/store/memory"
)

// # The form of a memory
//
// The file of a memory has the form of the folder of investigate. What that form has
// no place for follows as further fields after **Created:**, only where a memory has
// it. Labels that do not fit on a line as they are stand in quotes; relations and
// superseded memories are JSON.

// Names of the further fields.
const (
	captionField    = "Caption" // in full, if the title differs
	updatedField    = "Updated"
	sessionField    = "Session"
	topicField      = "Topic"
	scopeField      = "Scope"
	expiresField    = "Expires"
	relationField   = "Relation"
	supersedesField = "Supersedes" // one for each memory, the latest first
)

// SupersededField is the field of a superseded memory in a folder of investigate. Such a file is no memory to
// import: the one that replaced it has it.
const SupersededField = "Superseded"

func memoryDocument(m memory.Memory, when func(time.Time) string) (Document, error) {
	d := Document{ID: m.ID, Caption: m.Caption, Created: when(m.CreatedAt), Text: m.FullText}
	add := func(name, value string, ok bool) {
		if ok {
			d.Fields = append(d.Fields, Field{name, value})
		}
	}
	add(captionField, strconv.Quote(m.Caption), unescaped(plain(m.Caption)) != m.Caption)
	add(updatedField, when(m.UpdatedAt), !m.UpdatedAt.Equal(m.CreatedAt))
	add(sessionField, label(m.Session), m.Session != "")
	add(topicField, label(m.Topic), m.Topic != "")
	add(scopeField, m.Scope, m.Scope == memory.ProjectScope)
	if !m.ExpiresAt.IsZero() {
		add(expiresField, when(m.ExpiresAt), true)
	}
	if m.Relation != (memory.Relation{}) {
		text, err := ledger.Encode(m.Relation)
		if err != nil {
			return d, err
		}
		add(relationField, string(text), true)
	}
	for _, f := range m.Supersedes {
		text, err := ledger.Encode(FormerLineOf(f, when))
		if err != nil {
			return d, err
		}
		add(supersedesField, string(text), true)
	}
	return d, nil
}

// label returns a text as the value of a field.
func label(text string) string {
	if OneLine(text) == text && !strings.HasPrefix(text, `"`) {
		return text
	}
	return strconv.Quote(text)
}

// MemoryLine is a memory as a line of JSON Lines, which import memories reads. Whatever it reads else,
// it makes such lines of. The fields are not validated.
type MemoryLine struct {
	ID         string          `json:"id,omitempty"`
	UserID     string          `json:"user_id,omitempty"`
	FullText   string          `json:"full_text"`
	Caption    string          `json:"caption,omitempty"`
	Session    string          `json:"session,omitempty"`
	Topic      string          `json:"topic,omitempty"`
	Scope      string          `json:"scope,omitempty"`
	CreatedAt  string          `json:"created_at,omitempty"`
	UpdatedAt  string          `json:"updated_at,omitempty"`
	ExpiresAt  string          `json:"expires_at,omitempty"`
	Space      string          `json:"space,omitempty"` // of an export of a shared space, which is the user there
	Relation   memory.Relation `json:"relation,omitzero"`
	Supersedes []FormerLine    `json:"supersedes,omitempty"`

	Source      string `json:"source,omitempty"`
	SourceDir   string `json:"source_dir,omitempty"`
	SourceHash  string `json:"source_hash,omitempty"`
	SourceBlob  string `json:"source_blob,omitempty"`
	ConfirmedAt string `json:"confirmed_at,omitempty"`

	// Of a note that is imported as a whole.
	Whole   bool   `json:"whole_source,omitempty"` // all that it says is in the import
	Note    string `json:"note_path,omitempty"`
	Changed string `json:"note_changed,omitempty"`
	Title   string `json:"note_title,omitempty"` // the session of its parts, if it has some
}

// FormerLine is a superseded memory on a line.
type FormerLine struct {
	ID        string `json:"id"`
	Caption   string `json:"caption"`
	FullText  string `json:"full_text"`
	CreatedAt string `json:"created_at"`
	Session   string `json:"session,omitempty"` // of a memory that was merged
	Source    string `json:"source,omitempty"`  // likewise

	SupersededBy string `json:"superseded_by"`
	SupersededAt string `json:"superseded_at"`
}

// FormerLineOf returns the line of a superseded memory. when formats a time.
func FormerLineOf(f memory.Former, when func(time.Time) string) FormerLine {
	return FormerLine{f.ID, f.Caption, f.FullText, when(f.CreatedAt), f.Session, f.Source, f.SupersededBy,
		when(f.SupersededAt)}
}

// ParseMemory parses the file of a memory. It reports false for other text.
func ParseMemory(text string) (m MemoryLine, ok bool) {
	d, ok := ParseDocument(text)
	if !ok {
		return m, false
	}
	m = MemoryLine{ID: d.ID, Caption: d.Caption, CreatedAt: d.Created, FullText: d.Text}
	for _, f := range d.Fields {
		switch f.Name {
		case captionField:
			m.Caption, ok = unlabel(f.Value, ok)
		case updatedField:
			m.UpdatedAt = f.Value
		case sessionField:
			m.Session, ok = unlabel(f.Value, ok)
		case topicField:
			m.Topic, ok = unlabel(f.Value, ok)
		case scopeField:
			m.Scope = f.Value
		case expiresField:
			m.ExpiresAt = f.Value
		case relationField:
			ok = ok && json.Unmarshal([]byte(f.Value), &m.Relation) == nil
		case supersedesField:
			var former FormerLine
			ok = ok && json.Unmarshal([]byte(f.Value), &former) == nil
			m.Supersedes = append(m.Supersedes, former)
		default:
			ok = false
		}
	}
	return m, ok
}

// Superseded reports whether a text is the file of a superseded memory.
func Superseded(text string) bool {
	d, ok := ParseDocument(text)
	return ok && slices.ContainsFunc(d.Fields, func(f Field) bool { return f.Name == SupersededField })
}

// unlabel is the inverse of label. ok is false if it was before or value is not a
// quoted text.
func unlabel(value string, ok bool) (string, bool) {
	if !strings.HasPrefix(value, `"`) {
		return value, ok
	}
	text, err := strconv.Unquote(value)
	return text, ok && err == nil
}
