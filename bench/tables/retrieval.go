package tables

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"techo/store"
	"techo/store/memory"
)

// corpus is a set of texts that are searched together, with questions.
type corpus struct {
	memories  []memory.Memory
	names     []string          // of the memories, as the questions refer to them
	sessions  map[string]string // by name, also of memories that are stored without one
	questions []question
	skipped   map[string]int // questions that were not asked, by the reason
}

// question is a query and the names of the memories that answer it.
type question struct {
	text   string
	answer []string
}

// retrieval measures how well questions find their memories. The files are
// LoCoMo's JSON (each conversation a store of its own, each turn a memory),
// SQuAD, JSQuAD and JaQuAD (each passage a memory, all in one store), or questions in
// other words (words.go).
func retrieval(b *bench) error {
	if len(b.files) == 0 {
		fmt.Println("\nretrieval: no files: go -C bench run . retrieval FILE.json…")
		return nil
	}
	var squad corpus
	var locomo []corpus
	for _, name := range b.files {
		if filepath.Ext(name) == ".tsv" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		switch strings.TrimSpace(string(text[:min(len(text), 64)]))[0] {
		case '[':
			err = readLocomo(text, &locomo)
		default:
			err = readSquad(text, &squad)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	rows := [][]string{{"corpus", "stores", "memories", "questions", "R@1", "R@5", "R@10", "R@20", "MRR",
		"session hit@10", "a question"}}
	for _, set := range []struct {
		name string
		all  []corpus
	}{
		{"LoCoMo, turns", locomo},
		{"LoCoMo, no sessions", withoutSessions(locomo, 1)},
		{"LoCoMo, a fifth of the turns without session", withoutSessions(locomo, 5)},
		{"LoCoMo, questions about that fifth", aboutPlain(withoutSessions(locomo, 5))},
		{"passages", []corpus{squad}},
	} {
		if len(set.all) == 0 || len(set.all[0].memories) == 0 {
			continue
		}
		r, err := b.recall(set.all)
		if err != nil {
			return err
		}
		rows = append(rows, append([]string{set.name}, r.row()...))
	}
	phrased, err := inOtherWords(b, locomo, squad)
	if err != nil {
		return err
	}
	rows = append(rows, phrased...)
	table("Retrieval: questions as they are asked, no model", rows...)
	for _, line := range notAsked(locomo) {
		fmt.Println(line)
	}
	return nil
}

// withoutSessions returns copies of corpora in which every n-th memory, at random,
// has no session.
func withoutSessions(all []corpus, n int) (copies []corpus) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, c := range all {
		c.memories = slices.Clone(c.memories)
		for i := range c.memories {
			if random.IntN(n) == 0 {
				c.memories[i].Session = ""
			}
		}
		copies = append(copies, c)
	}
	return copies
}

// aboutPlain keeps the answers that have no session, and the questions with such
// answers.
func aboutPlain(all []corpus) (copies []corpus) {
	for _, c := range all {
		plain := map[string]bool{}
		for i, m := range c.memories {
			plain[c.names[i]] = m.Session == ""
		}
		var questions []question
		for _, q := range c.questions {
			q.answer = slices.DeleteFunc(slices.Clone(q.answer), func(name string) bool { return !plain[name] })
			if len(q.answer) > 0 {
				questions = append(questions, q)
			}
		}
		c.questions = questions
		copies = append(copies, c)
	}
	return copies
}

// notAsked counts the skipped questions by reason.
func notAsked(all []corpus) (lines []string) {
	skipped := map[string]int{}
	for _, c := range all {
		for why, n := range c.skipped {
			skipped[why] += n
		}
	}
	for _, why := range slices.Sorted(maps.Keys(skipped)) {
		lines = append(lines, fmt.Sprintf("\nNot asked: %d questions, %s.", skipped[why], why))
	}
	return lines
}

// recalled sums up the answers to questions.
type recalled struct {
	stores, memories, questions int

	at1, at5, at10, at20 float64 // share of the wanted memories among the first hits
	reciprocal           float64 // 1 / place of the first wanted memory
	session              float64 // questions with a session of a wanted memory among the first ten
	took                 time.Duration
}

func (r recalled) row() []string {
	f := func(v float64) string { return fmt.Sprintf("%.3f", v/float64(max(r.questions, 1))) }
	return []string{fmt.Sprint(r.stores), fmt.Sprint(r.memories), fmt.Sprint(r.questions), f(r.at1), f(r.at5),
		f(r.at10), f(r.at20), f(r.reciprocal), f(r.session), ms(r.took / time.Duration(max(r.questions, 1)))}
}

// recall asks all questions of corpora, each in a store of its own.
func (b *bench) recall(all []corpus) (r recalled, err error) {
	for _, c := range all {
		dir, err := os.MkdirTemp(b.dir, "retrieval-")
		if err != nil {
			return r, err
		}
		st, err := store.Open(filepath.Join(dir, "store"), store.Options{Write: true, Now: time.Now})
		if err != nil {
			return r, err
		}
		if err := errors.Join(r.ask(st, c), st.Close()); err != nil {
			return r, err
		}
	}
	return r, nil
}

// ask stores a corpus and asks its questions.
func (r *recalled) ask(st *store.Store, c corpus) error {
	ids, err := keep(st, c)
	if err != nil {
		return err
	}
	sessions := map[string]string{}
	for name, id := range ids {
		sessions[id] = c.sessions[name]
	}
	r.stores++
	r.memories += len(c.memories)
	for _, q := range c.questions {
		began := time.Now()
		found, err := st.SearchMemories(context.Background(), "bench", q.text, memory.Filter{Limit: 100})
		if err != nil {
			return err
		}
		r.took += time.Since(began)
		var places []int
		for _, a := range q.answer {
			is := func(h memory.Hit) bool { return h.ID == ids[a] }
			places = append(places, slices.IndexFunc(found.Hits, is))
		}
		r.add(places)
		first := found.Hits[:min(10, len(found.Hits))]
		if slices.ContainsFunc(q.answer, func(a string) bool {
			return slices.ContainsFunc(first, func(h memory.Hit) bool { return sessions[h.ID] == c.sessions[a] })
		}) {
			r.session++
		}
	}
	return nil
}

// add counts a question by the places of its wanted memories, -1 if not found.
func (r *recalled) add(places []int) {
	r.questions++
	share := func(k int) float64 {
		n := 0
		for _, p := range places {
			if p >= 0 && p < k {
				n++
			}
		}
		return float64(n) / float64(len(places))
	}
	r.at1, r.at5, r.at10, r.at20 = r.at1+share(1), r.at5+share(5), r.at10+share(10), r.at20+share(20)
	if found := slices.DeleteFunc(places, func(p int) bool { return p < 0 }); len(found) > 0 {
		r.reciprocal += 1 / float64(slices.Min(found)+1)
	}
}

// keep adds the memories of a corpus and returns their ids by their names.
func keep(st *store.Store, c corpus) (map[string]string, error) {
	d := memory.NewDrafter()
	var drafts []memory.Draft
	for _, m := range c.memories {
		m.User = "bench"
		drafts = append(drafts, d.Draft(m))
	}
	added, err := st.AddMemories(context.Background(), "bench", drafts)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for i, a := range added {
		if a.Err != nil {
			return nil, a.Err
		}
		ids[c.names[i]] = a.ID
	}
	return ids, nil
}

// readSquad reads passages and their questions.
func readSquad(text []byte, c *corpus) error {
	var file struct {
		Data []struct {
			Paragraphs []struct {
				Context string
				QAs     []struct{ Question string }
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	for _, d := range file.Data {
		for _, p := range d.Paragraphs {
			name := fmt.Sprint(len(c.names))
			c.names = append(c.names, name)
			c.memories = append(c.memories, memory.Memory{FullText: p.Context})
			if c.sessions == nil {
				c.sessions = map[string]string{}
			}
			c.sessions[name] = name
			for _, q := range p.QAs {
				c.questions = append(c.questions, question{q.Question, []string{name}})
			}
		}
	}
	return nil
}

// dataFiles are the named files and the files in the named folders.
func dataFiles(args []string) (files []string) {
	for _, a := range args {
		if st, err := os.Stat(a); err == nil && st.IsDir() {
			inside, _ := filepath.Glob(filepath.Join(a, "*.json"))
			files = append(files, inside...)
		} else if err == nil {
			files = append(files, a)
		}
	}
	return files
}
