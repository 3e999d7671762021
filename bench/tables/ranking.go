package tables

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"techo/store/memory"
)

// # Sets of questions
//
// A ranking is fitted on some sets and measured on others that are kept apart: the diary of testdata, the second
// half of JaQuAD's files, RealMem's other persons, and the conversations of TECHO_BENCH_LOCOMO that
// locomo_half.json lacks. Data that others made is read from the folders of the environment (main.go). A set
// without its files is left out with a message.

// persons are the first five persons of RealMem, which are fitted on; the others are measured.
var persons = []string{"Adeleke", "Ethan", "Kenta", "Kim", "Liam"}

// sets returns the sets that ranking is fitted on, and those that it is only measured on.
func sets() (fitted, held []set, err error) {
	data, realmem := os.Getenv("TECHO_BENCH_DATA"), os.Getenv("TECHO_BENCH_REALMEM")
	skip := func(name string, err error) error {
		if errors.Is(err, fs.ErrNotExist) || data == "" {
			fmt.Fprintf(os.Stderr, "rank: %s is left out: %v\n", name, err)
			return nil
		}
		return err
	}
	told := set{name: "workshop and kurashi"}
	for _, name := range []string{"workshop", "kurashi"} {
		s, err := readTold(filepath.Join("testdata", name+".txt"))
		if err != nil {
			return nil, nil, err
		}
		told.parts = append(told.parts, s.parts...)
	}
	fitted = append(fitted, told)
	for _, name := range []string{"codes", "words"} {
		s, err := readTold(filepath.Join("testdata", name+".txt"))
		if err != nil {
			return nil, nil, err
		}
		fitted = append(fitted, s)
	}
	diary, err := readTold(filepath.Join("testdata", "diary.txt"))
	if err != nil {
		return nil, nil, err
	}
	held = append(held, diary)

	locomo, err := locomoSet(filepath.Join(data, "retrieval", "locomo_half.json"))
	if err := skip("LoCoMo", err); err != nil {
		return nil, nil, err
	}
	if len(locomo.parts) > 0 {
		n := len(locomo.parts) / 2
		fitted = append(fitted, set{"locomo", locomo.parts[:n]}, set{"locomo, no sessions", locomo.parts[n:]})
	}
	if file := os.Getenv("TECHO_BENCH_LOCOMO"); file != "" {
		all, err := locomoSet(file)
		if err != nil {
			return nil, nil, err
		}
		all.name = "locomo, other conversations"
		all.parts = slices.DeleteFunc(all.parts, func(p story) bool {
			return slices.ContainsFunc(locomo.parts, func(o story) bool {
				return o[0].memories[0].FullText == p[0].memories[0].FullText
			})
		})
		n := len(all.parts) / 2
		held = append(held, set{all.name, all.parts[:n]}, set{all.name + ", no sessions", all.parts[n:]})
	}
	first, last, err := jaquadSets(filepath.Join(data, "retrieval"))
	if err := skip("JaQuAD", err); err != nil {
		return nil, nil, err
	}
	if len(first.parts) > 0 {
		fitted, held = append(fitted, first), append(held, last)
	}
	meant, err := meaningSet(data, locomo, first)
	if err := skip("meaning", err); err != nil {
		return nil, nil, err
	}
	if len(meant.parts) > 0 {
		fitted = append(fitted, meant)
	}
	own, others, err := realMemSets(realmem)
	if err != nil {
		return nil, nil, err
	}
	if len(own.parts) > 0 {
		fitted, held = append(fitted, own), append(held, others)
	} else {
		fmt.Fprintln(os.Stderr, "rank: RealMem is left out: no files in TECHO_BENCH_REALMEM")
	}
	for _, s := range slices.Concat(fitted, held) {
		if err := s.askElsewhere(); err != nil {
			return nil, nil, err
		}
	}
	return fitted, held, nil
}

// askElsewhere adds messages that need no memory, each to one part.
func (s set) askElsewhere() error {
	for _, name := range []string{"elsewhere.txt", "messages.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			return err
		}
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
			last := s.parts[i%len(s.parts)]
			last[len(last)-1].questions = append(last[len(last)-1].questions, probe{text: line, elsewhere: true})
		}
	}
	return nil
}

// locomoSet is the conversations of a file, with their sessions and once more without.
func locomoSet(file string) (s set, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	var all []corpus
	if err := readLocomo(text, &all); err != nil {
		return s, err
	}
	s.name = "locomo"
	for _, plain := range []bool{false, true} {
		for _, c := range all {
			s.parts = append(s.parts, story{c.step(plain)})
		}
	}
	return s, nil
}

// jaquadSets is the passages of the files of JaQuAD in one store. The questions of the first files are fitted on.
func jaquadSets(dir string) (first, last set, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "jaquad_dev_*.json"))
	if err == nil && len(files) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return first, last, err
	}
	slices.Sort(files)
	var c corpus
	half := 0
	for i, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return first, last, err
		}
		if err := readSquad(text, &c); err != nil {
			return first, last, err
		}
		if i < (len(files)+1)/2 {
			half = len(c.questions)
		}
	}
	one, two := c, c
	one.questions, two.questions = c.questions[:half], c.questions[half:]
	first = set{"jaquad", []story{{one.step(false)}}}.every(500)
	last = set{"jaquad, other files", []story{{two.step(false)}}}.every(500)
	return first, last, nil
}

// meaningSet is questions in other words, and in the other language, among turns and passages.
func meaningSet(data string, locomo, jaquad set) (s set, err error) {
	var one step
	if len(locomo.parts) > 0 && len(jaquad.parts) > 0 {
		turns, passages := locomo.parts[0][0], jaquad.parts[0][0]
		one.memories = slices.Concat(turns.memories[:min(200, len(turns.memories))], passages.memories[:min(60, len(passages.memories))])
		for i := range one.memories {
			one.memories[i].Session = ""
			one.memories[i].CreatedAt = one.memories[0].CreatedAt
			one.names = append(one.names, fmt.Sprint("other ", i))
		}
	}
	for _, name := range []string{"paraphrase.tsv", "cross.tsv"} {
		f, err := os.Open(filepath.Join(data, "meaning", name))
		if err != nil {
			return s, err
		}
		lines := bufio.NewScanner(f)
		for n := 0; lines.Scan(); n++ {
			row := strings.Split(lines.Text(), "\t")
			if len(row) < 2 {
				continue
			}
			one.names = append(one.names, fmt.Sprint(name, n))
			one.memories = append(one.memories, memory.Memory{FullText: row[0]})
			for _, q := range row[1:] {
				one.questions = append(one.questions, probe{text: q, answers: one.names[len(one.names)-1:]})
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			return s, err
		}
	}
	return set{"meaning", []story{{one}}}, nil
}

func realMemSets(dir string) (own, others set, err error) {
	own.name, others.name = "realmem", "realmem, other persons"
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || dir == "" {
		return own, others, err
	}
	slices.Sort(files)
	for _, file := range files {
		p, err := readRealMem(file)
		if err != nil {
			return own, others, err
		}
		if slices.ContainsFunc(persons, func(n string) bool { return strings.HasPrefix(filepath.Base(file), n) }) {
			own.parts = append(own.parts, p)
		} else {
			others.parts = append(others.parts, p)
		}
	}
	return own, others, nil
}

// places sums up where the answers to questions stand.
type places struct {
	questions, pastFirst                   int
	first, in5, in10, reciprocal, recall10 float64
}

// Rank measures the ranking of the program on all sets.
func Rank() error {
	fitted, held, err := sets()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "rank-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	rows := [][]string{head}
	for _, s := range slices.Concat(held, fitted) {
		var p places
		err := s.each(dir, memory.Filter{Limit: 100}, func(q probe, ids map[string]string, found memory.Found) {
			var order []bool
			for _, h := range found.Hits {
				order = append(order, slices.ContainsFunc(q.answers, func(a string) bool { return ids[a] == h.ID }))
			}
			p.add(order, len(q.answers), len(found.Hits) > 0 &&
				slices.ContainsFunc(q.past, func(a string) bool { return ids[a] == found.Hits[0].ID }))
		})
		if err != nil {
			return err
		}
		rows = append(rows, append([]string{s.name}, p.row()...))
	}
	table("Ranking", rows...)
	return nil
}

// add counts a question: whether each hit answers it, the number of answers, and whether the first one is outdated.
func (p *places) add(hits []bool, answers int, past bool) {
	if answers == 0 {
		return
	}
	p.questions++
	if past {
		p.pastFirst++
	}
	at := slices.Index(hits, true)
	if at < 0 {
		return
	}
	p.reciprocal += 1 / float64(at+1)
	for n, sum := range map[int]*float64{1: &p.first, 5: &p.in5, 10: &p.in10} {
		if at < n {
			*sum++
		}
	}
	for _, right := range hits[:min(10, len(hits))] {
		if right {
			p.recall10 += 1 / float64(answers)
		}
	}
}

func (p *places) row() []string {
	f := func(v float64) string { return fmt.Sprintf("%.3f", v/float64(max(p.questions, 1))) }
	return []string{fmt.Sprint(p.questions), f(p.first), f(p.in5), f(p.in10), f(p.recall10), f(p.reciprocal), fmt.Sprint(p.pastFirst)}
}
