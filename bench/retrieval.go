package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"techo/store"
)

// corpus is a set of texts that are searched together, with questions.
type corpus struct {
	memories  []store.Memory
	names     []string // of the memories, as the questions refer to them
	questions []question
	skipped   map[string]int // questions that were not asked, by the reason
}

// question is a query and the names of the memories that answer it.
type question struct {
	text   string
	answer []string
}

// retrieval measures how well questions find their memories. The files are
// LoCoMo's JSON (each conversation a store of its own, each turn a memory) or
// SQuAD, JSQuAD and JaQuAD (each passage a memory, all in one store).
func retrieval(b *bench) error {
	if len(b.files) == 0 {
		fmt.Println("\nretrieval: no files: go run ./bench retrieval FILE.json…")
		return nil
	}
	var squad corpus
	var locomo []corpus
	for _, name := range b.files {
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
	rows := [][]string{{"corpus", "stores", "memories", "questions", "recall@5", "recall@10", "recall@20", "MRR",
		"a question"}}
	for _, set := range []struct {
		name string
		all  []corpus
	}{{"LoCoMo, turns", locomo}, {"passages", []corpus{squad}}} {
		if len(set.all) == 0 || len(set.all[0].memories) == 0 {
			continue
		}
		row, err := b.recall(set.name, set.all)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	table("Retrieval: questions as they are asked, no model", rows...)
	for _, line := range notAsked(locomo) {
		fmt.Println(line)
	}
	return nil
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

// recall asks all questions of corpora, each in a store of its own.
func (b *bench) recall(name string, all []corpus) ([]string, error) {
	var memories, questions int
	var at5, at10, at20, reciprocal float64
	var took time.Duration
	for i, c := range all {
		st, err := store.Open(b.store(fmt.Sprint("retrieval-", name[:2], i)), store.Options{Write: true, Now: time.Now})
		if err != nil {
			return nil, err
		}
		ids, err := keep(st, c)
		if err != nil {
			return nil, errors.Join(err, st.Close())
		}
		memories += len(c.memories)
		for _, q := range c.questions {
			began := time.Now()
			found, err := st.SearchMemories(context.Background(), "bench", q.text, store.MemoryFilter{Limit: 100})
			if err != nil {
				return nil, errors.Join(err, st.Close())
			}
			took += time.Since(began)
			questions++
			var places []int
			for _, a := range q.answer {
				places = append(places, slices.IndexFunc(found.Hits,
					func(h store.MemoryHit) bool { return h.ID == ids[a] }))
			}
			share := func(k int) float64 {
				n := 0
				for _, p := range places {
					if p >= 0 && p < k {
						n++
					}
				}
				return float64(n) / float64(len(places))
			}
			at5, at10, at20 = at5+share(5), at10+share(10), at20+share(20)
			places = slices.DeleteFunc(places, func(p int) bool { return p < 0 })
			if len(places) > 0 {
				reciprocal += 1 / float64(slices.Min(places)+1)
			}
		}
		if err := st.Close(); err != nil {
			return nil, err
		}
	}
	n := float64(questions)
	f := func(v float64) string { return fmt.Sprintf("%.3f", v/n) }
	return []string{name, fmt.Sprint(len(all)), fmt.Sprint(memories), fmt.Sprint(questions), f(at5), f(at10), f(at20),
		f(reciprocal), ms(took / time.Duration(max(questions, 1)))}, nil
}

// keep adds the memories of a corpus and returns their ids by their names.
func keep(st *store.Store, c corpus) (map[string]string, error) {
	d := store.NewDrafter()
	var drafts []store.Draft
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
			c.memories = append(c.memories, store.Memory{FullText: p.Context})
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
