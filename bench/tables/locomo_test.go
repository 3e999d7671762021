package tables

import (
	"os"
	"slices"
	"strings"
	"testing"

	"techo/store/memory"
)

// TestReadLocomo reads a file that has all that the real one has: images,
// sessions without turns or without a date, answers that are numbers, and
// evidence in every spelling.
func TestReadLocomo(t *testing.T) {
	text, err := os.ReadFile("testdata/locomo.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []corpus
	if err := readLocomo(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 {
		t.Fatalf("%d conversations, want 2", len(all))
	}
	c := all[0]
	if want := []string{"D1:1", "D1:2", "D2:1", "D4:5", "D11:26"}; !slices.Equal(c.names, want) {
		t.Errorf("turns %q, want %q", c.names, want)
	}
	var texts []string
	for _, m := range c.memories {
		texts = append(texts, m.Session+" "+m.CreatedAt.UTC().Format("2006-01-02T15:04:05")+" "+m.FullText)
	}
	want := []string{
		"session_1 2023-05-08T13:56:00 Aki (1:56 pm on 8 May, 2023): I signed up for a class.",
		"session_1 2023-05-08T13:56:01 Ben (1:56 pm on 8 May, 2023): Look at this! [a photo of a bowl pottery class]",
		"session_2 2023-06-09T00:09:00 Aki (12:09 am on 9 June, 2023): The dog – Max – ran off. [a photo of a dog]",
		"session_4 1970-01-05T00:00:00 Ben (no date): Did he come back?",
		"session_11 2024-01-01T00:00:00 Aki (12:00 am on 1 January, 2024): He did.",
	}
	if !slices.Equal(texts, want) {
		t.Errorf("memories\n%s\nwant\n%s", strings.Join(texts, "\n"), strings.Join(want, "\n"))
	}
	var questions []string
	for _, q := range c.questions {
		questions = append(questions, q.text+" "+strings.Join(q.answer, ","))
	}
	want = []string{
		"plain D1:1", "number D2:1", "adversarial D1:2", "several in one D1:1,D1:2", "with a semicolon D2:1,D4:5",
		"odd colon D11:26", "leading zero D4:5", "twice D1:1", "one of two is no turn D1:1",
	}
	if !slices.Equal(questions, want) {
		t.Errorf("questions\n%s\nwant\n%s", strings.Join(questions, "\n"), strings.Join(want, "\n"))
	}
	if c.skipped[noEvidence] != 1 || c.skipped[noSuchTurn] != 2 || len(c.skipped) != 2 {
		t.Errorf("skipped %v", c.skipped)
	}
	if got := notAsked(all); len(got) != 2 || !strings.Contains(got[0]+got[1], "1 questions, which name no evidence") {
		t.Errorf("output %q", got)
	}
	if err := readLocomo([]byte(`[{"conversation":{"session_1":"x"}}]`), &all); err == nil {
		t.Error("a session that is not a list was accepted")
	}
}

// TestRecall asks the questions of a small corpus.
func TestRecall(t *testing.T) {
	b := &bench{dir: t.TempDir()}
	c := corpus{
		names: []string{"a", "b", "c"},
		memories: []memory.Memory{{FullText: "The cat sleeps."}, {FullText: "The dog sleeps in the garden."},
			{FullText: "The cat sleeps."}},
		questions: []question{
			{"Where does the dog sleep?", []string{"b"}}, // first
			{"garden", []string{"b", "a"}},               // one of two is found
			{"xylophone", []string{"a"}},                 // nothing
			{"Does the cat sleep?", []string{"c"}},       // the same text as a
			{"Which cat sleeps?", []string{"a"}},         // one of the two first
		},
	}
	r, err := b.recall([]corpus{c})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(r.row()[:6], " "), "1 3 5 0.700 0.700 0.700"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
