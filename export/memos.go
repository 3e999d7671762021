package export

import (
	"context"
	"strconv"
	"strings"
	"time"

	"techo/internal/confine"
	"techo/store"
	"techo/store/memo"
)

const memoTitle = "Memo Index"

// Memos updates a folder of memos, one file each, in the order of lists.
func Memos(ctx context.Context, st *store.Store, dir confine.Place, when func(time.Time) string) (Mirrored, error) {
	id, err := store.IDOf(ctx, st.Ledger)
	if err != nil {
		return Mirrored{}, err
	}
	return update(ctx, dir, memoTitle, source{"memos", id, ""}, func(m *mirror) error {
		return st.EachMemo(ctx, func(note memo.Memo) error { return m.add(memoDocument(note, when)) })
	})
}

// # The form of a memo
//
// After "## Full Content" a memo has its fields, its content and, under the heading
// "## Detail", its detail. A line of the content that looks like this heading gets a
// backslash in front, so that no two memos have the same form.

const detailHeading = "## Detail"

func memoDocument(note memo.Memo, when func(time.Time) string) Document {
	tags := make([]string, len(note.Tags))
	for i, t := range note.Tags {
		tags[i] = tagEscaper.Replace(t)
	}
	text := "**Priority:** " + strconv.Itoa(note.Priority) + "\n**Tags:** " + strings.Join(tags, ", ") +
		"\n**Updated:** " + when(note.UpdatedAt) + "\n\n" + escapeHeadings(note.Content)
	if OneLine(note.Name) != note.Name { // the title differs from the name
		text = "**Name:** " + strconv.Quote(note.Name) + "\n" + text
	}
	if note.Detail != "" {
		text += "\n\n" + detailHeading + "\n\n" + note.Detail
	}
	return Document{ID: note.ID, Caption: note.Name, Created: when(note.CreatedAt), Text: text}
}

// tagEscaper escapes what separates tags and lines.
var tagEscaper = strings.NewReplacer(`\`, `\\`, ",", `\,`, "\n", `\n`, "\r", `\r`)

// headingLike reports whether a line is the heading of a detail, perhaps escaped.
func headingLike(line string) bool { return strings.TrimLeft(line, `\`) == detailHeading }

// escapeHeadings puts a backslash in front of each line that is like the heading of
// a detail.
func escapeHeadings(content string) string {
	lines := strings.Split(content, "\n")
	for i, l := range lines {
		if headingLike(l) {
			lines[i] = `\` + l
		}
	}
	return strings.Join(lines, "\n")
}

// ExportedMemo is a memo as its file has it. The fields are not validated.
type ExportedMemo struct {
	ID, Name, Content, Detail, Priority string

	Tags             []string
	Created, Updated string
}

// ParseMemo parses the file of a memo. It reports false for other text.
func ParseMemo(text string) (m ExportedMemo, ok bool) {
	d, ok := ParseDocument(text)
	head, body, found := strings.Cut(d.Text, "\n\n")
	if !ok || !found {
		return m, false
	}
	m = ExportedMemo{ID: d.ID, Name: d.Caption, Created: d.Created}
	fields := strings.Split(head, "\n")
	if quoted, ok := strings.CutPrefix(fields[0], "**Name:** "); ok {
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return m, false
		}
		m.Name, fields = name, fields[1:]
	}
	if len(fields) != 3 {
		return m, false
	}
	var isPriority, isTags, isTime bool
	var tags string
	m.Priority, isPriority = strings.CutPrefix(fields[0], "**Priority:** ")
	tags, isTags = strings.CutPrefix(fields[1], "**Tags:** ")
	m.Updated, isTime = strings.CutPrefix(fields[2], "**Updated:** ")
	m.Tags = splitTags(tags)
	m.Content, m.Detail = splitDetail(body)
	return m, isPriority && isTags && isTime
}

func splitTags(text string) (tags []string) {
	var tag strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			tag.WriteByte(escapedByte(text[i]))
		case strings.HasPrefix(text[i:], ", "):
			i++
			tags = append(tags, tag.String())
			tag.Reset()
		default:
			tag.WriteByte(text[i])
		}
	}
	if text == "" {
		return nil
	}
	return append(tags, tag.String())
}

// escapedByte returns the byte that a byte after a backslash stands for.
func escapedByte(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	}
	return c
}

func splitDetail(text string) (content, detail string) {
	content, detail, _ = strings.Cut(text, "\n\n"+detailHeading+"\n\n")
	lines := strings.Split(content, "\n")
	for i, l := range lines {
		if headingLike(l) {
			lines[i] = strings.TrimPrefix(l, `\`)
		}
	}
	return strings.Join(lines, "\n"), detail
}
