package store

import (
	"testing"
	"time"

	"techo/store/memory"
)

// TestNewestAbout asks for a text of a time. Without a time the text itself comes first: which of two
// about one matter is newer, the tool that shows them knows (tools/memory).
func TestNewestAbout(t *testing.T) {
	for _, texts := range [][2]string{
		{"The server runs in Tokyo", "The server runs in Osaka"},
		{"サーバーは東京にある", "サーバーは大阪にある"},
	} {
		s := newStore(t)
		june := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
		for i, text := range texts {
			m := memory.Memory{User: "u", FullText: text, CreatedAt: june.AddDate(0, 0, 20*i-10)}
			if _, err := s.AddMemory(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			about memory.Period
			first int
		}{{memory.Period{}, 0}, {memory.Period{Until: june}, 0}, {memory.Period{Since: june}, 1}} {
			found, err := s.SearchMemories(t.Context(), "u", texts[0], memory.Filter{Limit: 5, Within: c.about})
			if err != nil || len(found.Hits) != 2 || found.Hits[0].FullText != texts[c.first] {
				t.Errorf("%v: %+v, %v", c.about, found.Hits, err)
			}
		}
	}
}
