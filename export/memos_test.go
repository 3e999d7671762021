package export

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/memo"
)

// hostile returns a random text of parts that are hard to tell from the form.
func hostile(r *rand.Rand, parts ...string) string {
	var b strings.Builder
	for range 1 + r.IntN(9) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

// TestParseMemo parses the files of hostile memos.
func TestParseMemo(t *testing.T) {
	r := testenv.Random(t)
	text := []string{"## Detail", "\\", "\n", "\n\n", "\r", " ", "x", "犬", "## Full Content", "**Tags:** ", "# "}
	name := []string{"[", "]", "<", "\\", " ", "a", "犬", "\"", "\u2028", "\n", "**Priority:** 1"}
	tag := []string{"\\", ",", ", ", " ", "a", "犬", "\n", "\r", "n"}
	for range 5000 {
		m := memo.Memo{ID: "abcdefgh", Name: hostile(r, name...), Content: hostile(r, text...),
			Priority: 1 + r.IntN(5), CreatedAt: time.Unix(r.Int64N(1e9), 0), UpdatedAt: time.Unix(r.Int64N(1e9), 0)}
		if r.IntN(2) == 0 {
			m.Detail = hostile(r, text...)
		}
		for range r.IntN(4) {
			m.Tags = append(m.Tags, hostile(r, tag...))
		}
		when := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
		file := string(memoDocument(m, when).markdown())
		got, ok := ParseMemo(file)
		if !ok || got.ID != m.ID || got.Name != m.Name || got.Content != m.Content || got.Detail != m.Detail ||
			got.Priority != strconv.Itoa(m.Priority) || !slices.Equal(got.Tags, m.Tags) ||
			got.Created != when(m.CreatedAt) || got.Updated != when(m.UpdatedAt) {
			t.Fatalf("%+v\n%q\n%+v", m, file, got)
		}
	}
}

// TestParseMemoMalformed parses files that are no exported memo.
func TestParseMemoMalformed(t *testing.T) {
	const file = "# n\n\n**ID:** abcdefgh\n**Created:** t\n\n## Full Content\n\n" +
		"**Priority:** 1\n**Tags:** \n**Updated:** t\n\ncontent"
	if m, ok := ParseMemo(file); !ok || m.Content != "content" || m.Tags != nil {
		t.Fatalf("%+v %v", m, ok)
	}
	for _, part := range []string{"# n", "\n\n**ID:** abcdefgh", "**Created:** ", "## Full Content\n\n",
		"**Priority:** ", "**Tags:** ", "**Updated:** ", "t\n\ncontent"} {
		if m, ok := ParseMemo(strings.Replace(file, part, "", 1)); ok {
			t.Errorf("without %q: %+v", part, m)
		}
	}
	for _, bad := range []string{"", "# n", strings.Replace(file, "**Priority", "**Name:** x\n**Priority", 1)} {
		if m, ok := ParseMemo(bad); ok {
			t.Errorf("%q: %+v", bad, m)
		}
	}
}
