package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"techo/internal/testenv"
	"techo/store/memory"
)

// TestJaquad asks Japanese questions about passages; every tenth
// question, and wants the passage among the first ten.
func TestJaquad(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testenv.Data(t, "retrieval"), "jaquad_dev_*.json"))
	if err != nil || len(files) == 0 {
		testenv.Missing(t, "JaQuAD in the folder retrieval of the test data")
	}
	s := newStore(t)
	d := memory.NewDrafter()
	var drafts []memory.Draft
	var questions, answers []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Data []struct {
				Paragraphs []struct {
					Context string
					QAs     []struct{ Question string }
				}
			}
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		for _, a := range file.Data {
			for _, p := range a.Paragraphs {
				drafts = append(drafts, d.Draft(memory.Memory{User: "tanaka", FullText: p.Context}))
				for _, q := range p.QAs {
					questions, answers = append(questions, q.Question), append(answers, p.Context)
				}
			}
		}
	}
	if _, err := s.AddMemories(t.Context(), "tanaka", drafts); err != nil {
		t.Fatal(err)
	}
	n, found, reciprocal := 0, 0, 0.0
	for i := 0; i < len(questions); i += 10 {
		n++
		got, err := s.SearchMemories(t.Context(), "tanaka", questions[i], memory.Filter{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(got.Hits, func(h memory.Hit) bool { return h.FullText == answers[i] })
		if at >= 0 {
			reciprocal += 1 / float64(at+1)
		}
		if at >= 0 && at < 10 {
			found++
		}
	}
	recall, mrr := float64(found)/float64(n), reciprocal/float64(n)
	t.Logf("recall@10 %.3f, MRR %.3f of %d questions", recall, mrr, n)
	if recall < 0.97 || mrr < 0.87 { // all of them: at least 0.98 and 0.89
		t.Errorf("recall@10 %.3f, MRR %.3f", recall, mrr)
	}
}
