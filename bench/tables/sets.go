package tables

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"techo/store"
	"techo/store/memory"
)

// set is memories with questions on which ranking is fitted or measured. Each part is a store of its own.
type set struct {
	name  string
	parts []story
}

// story is what happens to a store: in each step memories are added, then questions are asked.
type story []step

type step struct {
	memories  []memory.Memory
	names     []string // of the memories
	questions []probe
}

// probe is a question with the names of the memories that answer it, none if nothing does, and of those that
// they replace.
type probe struct {
	text          string
	answers, past []string
	elsewhere     bool // it needs no memory at all
}

// step returns a corpus as one step. Sessions are left out if plain is true.
func (c corpus) step(plain bool) step {
	s := step{memories: slices.Clone(c.memories), names: c.names}
	for i := range s.memories {
		if plain {
			s.memories[i].Session = ""
		}
	}
	for _, q := range c.questions {
		s.questions = append(s.questions, probe{text: q.text, answers: q.answer})
	}
	return s
}

// every keeps a part of the questions of a set: about most of them, evenly.
func (s set) every(most int) set {
	n := 0
	for _, p := range s.parts {
		for _, st := range p {
			n += len(st.questions)
		}
	}
	every := max(1, n/most)
	at := 0
	for _, p := range s.parts {
		for i := range p {
			p[i].questions = slices.DeleteFunc(slices.Clone(p[i].questions), func(probe) bool {
				at++
				return at%every != 0
			})
		}
	}
	return s
}

// readTold reads a file in the form of testdata/diary.txt. A line with an exclamation mark is a message that needs no memory.
func readTold(file string) (set, error) {
	s := set{name: strings.TrimSuffix(filepath.Base(file), ".txt")}
	text, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	var one step
	list := func(names string) []string {
		if names == "-" {
			return nil
		}
		return strings.Split(names, ",")
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		switch {
		case f[0] == "?" && len(f) == 4:
			one.questions = append(one.questions, probe{text: f[3], answers: list(f[1]), past: list(f[2])})
		case f[0] == "!" && len(f) == 2:
			one.questions = append(one.questions, probe{text: f[1], elsewhere: true})
		case len(f) == 3:
			at, err := time.Parse(time.DateOnly, f[1])
			if err != nil {
				return s, fmt.Errorf("%s: %q: %w", file, line, err)
			}
			one.names = append(one.names, f[0])
			one.memories = append(one.memories, memory.Memory{FullText: f[2], CreatedAt: at.Add(9 * time.Hour)})
		default:
			return s, fmt.Errorf("%s: %q", file, line)
		}
	}
	s.parts = []story{{one}}
	return s, nil
}

// point is a memory of RealMem. The content of a few is no text.
type point struct {
	Content json.RawMessage `json:"content"`
}

func (p point) text() string {
	var s string
	if json.Unmarshal(p.Content, &s) != nil {
		s = string(p.Content)
	}
	return strings.TrimSpace(s)
}

// readRealMem reads the dialogues of a person of RealMem (zhiyuan5986/RealMemBench): before each session its
// messages are asked, after it its memories are added.
func readRealMem(file string) (story, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var person struct {
		Dialogues []struct {
			Time  string `json:"current_time"`
			Turns []struct {
				Content string  `json:"content"`
				Query   bool    `json:"is_query"`
				Used    []point `json:"memory_used"`
			} `json:"dialogue_turns"`
			Memories []point `json:"extracted_memory"`
		} `json:"dialogues"`
	}
	if err := json.Unmarshal(text, &person); err != nil {
		return nil, err
	}
	var all story
	var now step
	there := map[string]bool{}
	for i, d := range person.Dialogues {
		for j, t := range d.Turns {
			if !t.Query {
				continue
			}
			q := probe{text: t.Content}
			for _, next := range d.Turns[j:min(j+2, len(d.Turns))] {
				for _, m := range next.Used {
					if text := m.text(); there[text] && !slices.Contains(q.answers, text) {
						q.answers = append(q.answers, text)
					}
				}
			}
			if len(q.answers) > 0 {
				now.questions = append(now.questions, q)
			}
		}
		if len(now.questions) > 0 {
			all, now = append(all, now), step{}
		}
		day, _, _ := strings.Cut(d.Time, " ")
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return nil, fmt.Errorf("%s: dialogue %d: %w", file, i, err)
		}
		for j, m := range d.Memories {
			if text := m.text(); text != "" && !there[text] {
				there[text] = true
				now.names = append(now.names, text)
				now.memories = append(now.memories, memory.Memory{FullText: text,
					CreatedAt: at.Add(9*time.Hour + time.Duration(i)*time.Minute + time.Duration(j)*time.Second)})
			}
		}
	}
	return all, nil
}

// each calls use with the answer to each question of a set.
func (s set) each(dir string, f memory.Filter, use func(q probe, ids map[string]string, found memory.Found)) error {
	for _, p := range s.parts {
		dir, err := os.MkdirTemp(dir, "set-")
		if err != nil {
			return err
		}
		st, err := store.Open(filepath.Join(dir, "store"), store.Options{Write: true, Now: time.Now})
		if err != nil {
			return err
		}
		if err := errors.Join(p.tell(st, f, use), st.Close(), os.RemoveAll(dir)); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (p story) tell(st *store.Store, f memory.Filter, use func(q probe, ids map[string]string, found memory.Found)) error {
	ids := map[string]string{}
	for _, s := range p {
		more, err := keep(st, corpus{memories: s.memories, names: s.names})
		if err != nil {
			return err
		}
		for name, id := range more {
			ids[name] = id
		}
		for _, q := range s.questions {
			found, err := st.SearchMemories(context.Background(), "bench", q.text, f)
			if err != nil {
				return err
			}
			use(q, ids, found)
		}
	}
	return nil
}
