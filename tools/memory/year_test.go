package memory

import (
	"strings"
	"testing"
	"time"

	"techo/store/memory"
)

// TestYear asks 67 questions about the memories of eight months, by kind: of facts that replace each
// other the newest one comes first, and no question about a time finds one of another time first.
func TestYear(t *testing.T) {
	s, env := emptied(t)
	d, last := memory.NewDrafter(), time.Time{}
	var drafts []memory.Draft
	for _, r := range rows(t, "testdata/year.txt") {
		at, err := time.Parse(time.DateOnly, r[0])
		if err != nil {
			t.Fatal(err)
		}
		if at = at.Add(9 * time.Hour); !at.After(last) {
			at = last.Add(time.Hour / 4)
		}
		last = at
		drafts = append(drafts, d.Draft(memory.Memory{User: env.User, FullText: r[1], CreatedAt: at}))
	}
	if _, _, _, err := memory.Import(t.Context(), s.Ledger, env.User, drafts, len(drafts)); err != nil {
		t.Fatal(err)
	}
	asked, first, inFive := map[string]int{}, map[string]int{}, 0
	for _, r := range rows(t, "testdata/asked.txt") {
		out, err := searchMemory(t.Context(), env, SearchIn{Query: r[1], Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		place := 0
		for i, f := range out.Results {
			if f.Snippet == r[2] {
				place = i + 1
				inFive++
				break
			}
		}
		if asked[r[0]]++; place == 1 {
			first[r[0]]++
		} else {
			t.Logf("%s: %s: place %d, first %v", r[0], r[1], place, out.Results[:min(1, len(out.Results))])
		}
		if len(r) > 3 && len(out.Results) > 0 {
			from, until, _ := strings.Cut(r[3], "..")
			if day := out.Results[0].CreatedAt[:len(time.DateOnly)]; day < from || until != "" && day > until {
				t.Errorf("%s: finds one of %s first, asked about %s", r[1], day, r[3])
			}
		}
	}
	right := 0
	for kind, least := range map[string]int{
		"newest": 10, "time": 6, "paraphrase": 4, "language": 7, "negation": 5, "identifier": 6, "number": 5,
		"typing": 5, "synonym": 4,
	} {
		if right += first[kind]; first[kind] < least {
			t.Errorf("%s: %d of %d are first", kind, first[kind], asked[kind])
		}
	}
	t.Logf("first %d, among five %d, by kind %v of %v", right, inFive, first, asked)
}
