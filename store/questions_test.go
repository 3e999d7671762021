package store

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/dates"
	"techo/store/memory"
)

// askedOn is the day on which the questions of testdata/questions.txt are asked.
var askedOn = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

// fields reads a file of testdata: lines of n fields, separated by a bar.
func fields(t *testing.T, name string, n int) (lines [][]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(strings.TrimSpace(line), " | ", n)
		if len(f) != n {
			t.Fatalf("%s: %q has %d fields", name, line, len(f))
		}
		lines = append(lines, f)
	}
	return lines
}

// TestQuestions asks 80 questions in both languages about 200 memories. At least 76
// must find their memory first.
func TestQuestions(t *testing.T) {
	s := newStore(t)
	d := memory.NewDrafter()
	var drafts []memory.Draft
	keys := map[string]string{}
	for _, f := range fields(t, "memories.txt", 4) {
		at, err := time.Parse("2006-01-02 15:04", f[1])
		if err != nil {
			t.Fatal(err)
		}
		keys[f[3]] = f[0]
		drafts = append(drafts, d.Draft(memory.Memory{User: "tanaka", FullText: f[3],
			Session: strings.Trim(f[2], "-"), CreatedAt: at}))
	}
	if _, err := s.AddMemories(t.Context(), "tanaka", drafts); err != nil || len(drafts) != 200 {
		t.Fatal(len(drafts), err)
	}
	questions := fields(t, "questions.txt", 2)
	right := 0
	for _, q := range questions {
		f := memory.Filter{Limit: 5}
		asked := q[1]
		if p, ok := dates.Find(asked, askedOn); ok {
			f.Named = memory.Period{Since: p.Wall, Until: p.Last.AddDate(0, 0, 1)}
			if !p.Dated {
				asked = asked[:p.Start] + " " + asked[p.End:]
			}
		}
		found, err := s.SearchMemories(t.Context(), "tanaka", asked, f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range found.Hits {
			got = append(got, keys[h.FullText])
		}
		if len(got) > 0 && got[0] == q[0] {
			right++
			continue
		}
		t.Logf("%s: %v, want %s", q[1], got, q[0])
	}
	if right < 76 || len(questions) != 80 {
		t.Errorf("%d of %d questions found their memory first", right, len(questions))
	}
}

// TestOtherWords asks for memories among others in words that they do not have.
func TestOtherWords(t *testing.T) {
	s := newStore(t)
	d := memory.NewDrafter()
	var drafts []memory.Draft
	add := func(text string) {
		drafts = append(drafts, d.Draft(memory.Memory{User: "tanaka", FullText: text, CreatedAt: askedOn}))
	}
	for _, f := range fields(t, "memories.txt", 4) {
		add(f[3])
	}
	examples, err := os.ReadFile("../internal/meaning/testdata/paraphrase.tsv")
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]string{}
	for line := range strings.Lines(string(examples)) {
		row := strings.Split(strings.TrimSpace(line), "\t")
		add(row[0])
		for _, question := range row[1:] {
			wanted[question] = row[0]
		}
	}
	if _, err := s.AddMemories(t.Context(), "tanaka", drafts); err != nil {
		t.Fatal(err)
	}
	const least = 72
	right := 0
	for question, text := range wanted {
		found, err := s.SearchMemories(t.Context(), "tanaka", question, memory.Filter{Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(found.Hits, func(h memory.Hit) bool { return h.FullText == text }) {
			right++
		}
	}
	if right < least {
		t.Errorf("%d of %d questions found their memory among five, want %d", right, len(wanted), least)
	}
}
