package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/stem"
	"techo/internal/testenv"
	"techo/store/memory"
	"techo/store/search"
)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		message, memory string
		want            bool
	}{
		{"What's my dog's name again?", "User has a dog named Max (golden retriever)", true},
		{"Where does Sarah live?", "Sarah lives in Lisbon.", true},
		{"Is Max afraid of thunder?", "Max hides under the bed.", true},
		{"Write a haiku about the sea.", "Tanaka writes the minutes.", false},
		{"Give me five ideas for a project", "Five people came to the party.", false},
		{"Why is the sky blue?", "Tom rides a blue bike.", false},
		{"wifi password", "The guest wifi password is hunter2.", true},
		{"What happened in 2031?", "The lease ends in 2031.", true},
		{"Calculate 17 times 23", "Staging is on 17 already.", false},
		{"みどりさんの電話番号は？", "みどりさんの電話番号は222。", true},
		{"りんごのケーキを買っていこうかな", "りんごアレルギーがある。", true},
		{"リンゴは好き？", "りんごアレルギーがある。", true},
		{"犬は何が苦手？", "犬のマックスは雷が苦手。", true},
		{"海についての俳句を書いて", "書類は引き出しに入れた。", false},
		{"海についての俳句を書いて", "田中さんは手紙を書いた。", false},
		{"ありがとう、またね", "またの機会に。", false},
		{"hi", "hi there", false},
		{"parseInvoiceTotal の不具合は？", "parseInvoiceTotal drops the cents.", true},
		{"what was the bug in parseInvoiceTotal that Mara found on the staging server?", "parseInvoiceTotal is slow.",
			true},
		{"does user_by_id of the crawler still return deleted accounts?", "user_by_id caches for a minute", true},
		{"does user_by_id of the crawler still return deleted accounts?", "The id is on the badge", false},
		{"who reverted the commit 8c1d2e3f after the release of the crawler?", "8c1d2e3 broke the build", true},
		{"", "x", false},
		// Characters of several words are no word of a memory.
		{"京都に行きたい", "東京都庁の展望台に登った。", false},
		{"京都に行きたい", "京都大学を訪ねた。", true},
		{"本人はどこ？", "日本人学校に通っていた。", false},
		{"東京のこと", "東京都庁の展望台に登った。", true},
	} {
		if got := relevanceOf(c.memory).overlap(subjectOf(c.message)).fits(false, false); got != c.want {
			t.Errorf("%q for %q: %v, %+v", c.memory, c.message, got, subjectOf(c.message))
		}
	}
}

// TestImprobable checks that words of a message bring a memory unless it is improbable that one answers.
func TestImprobable(t *testing.T) {
	const text = "Translate the harbour sign of Ostend into Flemish"
	for score, want := range map[float64]int{.001: 0, .2: 1} {
		hits := []memory.Hit{{Memory: memory.Memory{FullText: "The harbour of Ostend was painted by Ensor."}, Score: score, Matches: true}}
		if got := relevantHits(text, subjectOf(text), hits, false); len(got) != want {
			t.Errorf("with %v: %v", score, got)
		}
	}
}

// TestSharesOne compares the shares of all words of a message, found at once, with what each
// word alone finds. Messages and memories have words of the collections.
func TestSharesOne(t *testing.T) {
	var words []string
	for _, name := range []string{"asked.txt", "unrelated.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, strings.Fields(string(text))...)
	}
	words = append(words, "to-do", "up-to-date", "foo_bar", "getMemo", "v2.3", "it's", "running", "ran", "run",
		"naïve", "3rd", "u.s.", "colour", "color", "dos", "does", "mice", "wi-fi", "wifi", "techo://memo/x")
	random := testenv.Random(t)
	pick := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[random.IntN(len(words))])
			b.WriteByte(" \n"[random.IntN(8)/7])
		}
		return b.String()
	}
	for range testenv.Pick(300, 1000) {
		message, memory := pick(1+random.IntN(60)), relevanceOf(pick(1+random.IntN(80)))
		for c, share := range memory.shares(subjectOf(message)) {
			want := 0.0
			if memory.stems[stem.Of(c.text)] || len(search.NewExcerpts(c.text).Matched(memory.text)) > 0 {
				want = 1
			}
			if c.name != "" && !slices.Contains(search.NewExcerpts(c.name).Matched(memory.text), c.name) {
				want = 0
			}
			if c.kind == latinConcept && c.proper == "" && share != want {
				t.Errorf("%q in %q: %v, alone %v", c.text, memory.text, share, want)
			}
		}
	}
}
