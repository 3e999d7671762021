package memory

import (
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store/memory"
)

// counts are questions, and those whose memory was found first and in five.
type counts struct{ asked, first, inFive int }

// TestFollow asks for the newest of three memories about a matter, and what follows another
// question, alone and behind that question.
func TestFollow(t *testing.T) {
	s, env := emptied(t)
	var all []memory.Memory
	var questions [][]string
	for _, r := range rows(t, "testdata/follow.txt") {
		if len(r) == 4 {
			questions = append(questions, r)
			continue
		}
		at, err := time.Parse(time.DateOnly, r[0])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, memory.Memory{FullText: r[1], CreatedAt: at})
	}
	imported(t, s, all...)
	found := map[string]*counts{}
	ask := func(kind, question, answer string) {
		out, err := searchMemory(t.Context(), env, SearchIn{Query: question, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		if found[kind] == nil {
			found[kind] = &counts{}
		}
		c := found[kind]
		c.asked++
		switch slices.IndexFunc(out.Results, func(r Result) bool { return r.Snippet == answer }) {
		case 0:
			c.first++
			fallthrough
		case 1, 2, 3, 4:
			c.inFive++
		}
	}
	for _, q := range questions {
		kind := q[0] + " en"
		if strings.Contains(q[3], "。") {
			kind = q[0] + " ja"
		}
		ask(kind, q[2], q[3])
		if q[1] != "-" {
			ask(kind+", with the words before", q[1]+"\n"+q[2], q[3])
		}
	}
	for kind, least := range map[string]counts{
		"last en": {10, 9, 10}, "last ja": {10, 9, 10},
		"follow en, with the words before": {10, 8, 9}, "follow ja, with the words before": {10, 8, 9},
		"pronoun en, with the words before": {10, 9, 9}, "pronoun ja, with the words before": {10, 9, 9},
	} {
		if c := found[kind]; c.asked != least.asked || c.first < least.first || c.inFive < least.inFive {
			t.Errorf("%s: %+v, want at least %+v", kind, *c, least)
		}
	}
}
