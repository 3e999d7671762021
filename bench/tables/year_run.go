package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// yearly replays an invented year and asks what is true at its end. Beside it stands the year of
// the program in TECHO_BENCH_OLD, for which docs/benchmarks.md names the commit.
func yearly(b *bench) error {
	old, err := oldTecho(b)
	if err != nil {
		return err
	}
	seed := uint64(1)
	if text := os.Getenv("TECHO_BENCH_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return fmt.Errorf("TECHO_BENCH_SEED: %w", err)
		}
	}
	rows := [][]string{{"year", "questions", "present answer first", "offered", "lines", "outdated", "repeated",
		"of another fact", "questions with an outdated line"}}
	noticed := [][]string{{"year", "changes in `contradicts`", "repetitions in `similar`", "other facts in either",
		"changed files noticed", "lines of them marked"}}
	for _, p := range []struct{ name, program string }{{"techo", b.techo}, {"without these rules", old}} {
		if p.program == "" {
			continue
		}
		y := inventYear(seed)
		dir := filepath.Join(b.dir, "year-"+p.name)
		r := &replay{year: y, program: p.program, dir: dir, rules: p.program == b.techo}
		if err := r.run(); err != nil {
			return err
		}
		for _, part := range []struct {
			name string
			of   func(*yearFact) bool
		}{
			{"", func(*yearFact) bool { return true }},
			{", English", (*yearFact).english},
			{", Japanese", func(f *yearFact) bool { return !f.english() }},
		} {
			rows = append(rows, append([]string{p.name + part.name}, r.answersOf(part.of).row()...))
			noticed = append(noticed, append([]string{p.name + part.name}, r.noticedOf(part.of)...))
		}
		if file := os.Getenv("TECHO_BENCH_MISSES"); file != "" && r.rules {
			if err := os.WriteFile(file, []byte(strings.Join(r.misses(), "\n")+"\n"), 0o600); err != nil {
				return err
			}
		}
	}
	table(fmt.Sprintf("A year of %d memories: what is true now?", len(inventYear(seed).said)), rows...)
	table("What additions of that year notice", noticed...)
	return nil
}

// replay is a year in a store.
type replay struct {
	*year
	program, dir string
	rules        bool // the program knows sources and what replaces what

	kept    map[*yearStatement]keptStatement
	ids     map[string]*yearStatement
	answers []yearAnswer
	checked []string // ids of the memories whose file has changed
}

// keptStatement is the result of an addition.
type keptStatement struct {
	Memory               struct{ ID string }
	Similar, Contradicts []string
}

// yearAnswer is the results of a question.
type yearAnswer struct {
	found   []string
	offered []struct {
		ID    string
		Stale bool
	}
}

// run replays the year and asks its questions.
func (r *replay) run() error {
	if err := os.MkdirAll(filepath.Join(r.dir, "notes"), 0o755); err != nil {
		return err
	}
	if err := r.writeFiles(false); err != nil {
		return err
	}
	if err := r.add(); err != nil {
		return err
	}
	if err := r.writeFiles(true); err != nil {
		return err
	}
	if err := r.ask(); err != nil || !r.rules {
		return err
	}
	var check struct{ Changed, Gone []string }
	err := r.call([]call{{"check_memory", map[string]any{"limit": 1000}}}, func(_ int, line []byte) error {
		return json.Unmarshal(line, &check)
	})
	r.checked = append(check.Changed, check.Gone...)
	return err
}

// writeFiles writes the files of facts, or changes them: one in five is removed.
func (r *replay) writeFiles(changed bool) error {
	for i, f := range r.facts {
		if f.file == "" {
			continue
		}
		path, text := filepath.Join(r.dir, f.file), f.said[0].text
		if changed && i%5 == 0 {
			if err := os.Remove(path); err != nil {
				return err
			}
			continue
		}
		if changed {
			text = "This is no longer so: " + text
		}
		if err := os.WriteFile(path, []byte("# Notes\n\n"+text+"\n\nMore follows.\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// add adds the statements of the year, in order of time.
func (r *replay) add() error {
	var calls []call
	for _, s := range r.said {
		in := map[string]any{"full_text": s.text, "created_at": s.at.Format(time.RFC3339)}
		if s.fact.file != "" && r.rules {
			in["source"] = "file:" + s.fact.file + "#L3"
		}
		calls = append(calls, call{"add_memory", in})
	}
	r.kept, r.ids = map[*yearStatement]keptStatement{}, map[string]*yearStatement{}
	return r.call(calls, func(i int, line []byte) error {
		var k keptStatement
		if err := json.Unmarshal(line, &k); err != nil || k.Memory.ID == "" {
			return errors.Join(err, fmt.Errorf("not added: %s: %s", r.said[i].text, line))
		}
		r.kept[r.said[i]], r.ids[k.Memory.ID] = k, r.said[i]
		return nil
	})
}

// ask searches and asks for the prompt of each question.
func (r *replay) ask() error {
	var calls []call
	for _, q := range r.asked {
		calls = append(calls, call{"search_memory", map[string]any{"query": q.text}},
			call{"memory_context", map[string]any{"message": q.text}})
	}
	r.answers = make([]yearAnswer, len(r.asked))
	return r.call(calls, func(i int, line []byte) error {
		var got struct {
			Results    []struct{ ID string }
			References []struct {
				ID    string
				Stale bool
			}
		}
		err := json.Unmarshal(line, &got)
		a := &r.answers[i/2]
		for _, h := range got.Results {
			a.found = append(a.found, h.ID)
		}
		a.offered = append(a.offered, got.References...)
		return err
	})
}

// call is a call of a tool.
type call struct {
	tool  string
	input map[string]any
}

// call makes calls in one process and uses each answer.
func (r *replay) call(calls []call, use func(i int, answer []byte) error) error {
	var in, failed bytes.Buffer
	for _, c := range calls {
		line, err := json.Marshal(map[string]any{"tool": c.tool, "input": c.input})
		if err != nil {
			return err
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(r.program, "call", "--batch", "--store", "store", "--user", "bench")
	cmd.Dir, cmd.Stdin, cmd.Stderr = r.dir, &in, &failed
	cmd.Env = append(os.Environ(), "TECHO_TZ=UTC")
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, failed.Bytes())
	}
	i := 0
	for line := range bytes.Lines(out) {
		if err := use(i, line); err != nil {
			return err
		}
		i++
	}
	if i != len(calls) {
		return fmt.Errorf("%d answers to %d calls", i, len(calls))
	}
	return nil
}

// yearAnswers sums up the answers to questions.
type yearAnswers struct {
	questions, first, offered, withOutdated int

	lines, outdated, repeated, other int
}

// answersOf sums up the questions about some facts.
func (r *replay) answersOf(of func(*yearFact) bool) (sum yearAnswers) {
	for i, q := range r.asked {
		if !of(q.fact) {
			continue
		}
		a := r.answers[i]
		sum.questions++
		if len(a.found) > 0 && r.present(a.found[0], q.fact) {
			sum.first++
		}
		present, outdated := 0, 0
		for _, l := range a.offered {
			switch {
			case r.present(l.ID, q.fact):
				present++
			case r.ids[l.ID].outdated:
				outdated++
			default:
				sum.other++
			}
		}
		sum.lines += len(a.offered)
		sum.outdated += outdated
		sum.repeated += max(present-1, 0)
		sum.offered += min(present, 1)
		sum.withOutdated += min(outdated, 1)
	}
	return sum
}

// present reports whether a memory has the present value of a fact.
func (r *replay) present(id string, f *yearFact) bool {
	s := r.ids[id]
	return s.fact == f && !s.outdated
}

func (a yearAnswers) row() []string {
	return []string{fmt.Sprint(a.questions), share(a.first, a.questions), share(a.offered, a.questions),
		fmt.Sprint(a.lines), share(a.outdated, a.lines), share(a.repeated, a.lines), share(a.other, a.lines),
		share(a.withOutdated, a.questions)}
}

// share returns a part as percentage.
func share(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }

// noticedOf returns what the additions about some facts noticed, and the changes of their files.
func (r *replay) noticedOf(of func(*yearFact) bool) []string {
	var changes, repeats, others, files, lines [2]int // noticed, of all
	for _, s := range r.said {
		if !of(s.fact) {
			continue
		}
		switch noticed := r.noticed(s); {
		case s.changes:
			countOne(&changes, noticed)
		case s.repeats:
			countOne(&repeats, noticed)
		default:
			countOne(&others, noticed)
		}
		if s.fact.file != "" {
			countOne(&files, slices.Contains(r.checked, r.kept[s].Memory.ID))
		}
	}
	for _, a := range r.answers {
		for _, l := range a.offered {
			if s := r.ids[l.ID]; s.fact.file != "" && of(s.fact) {
				countOne(&lines, l.Stale)
			}
		}
	}
	row := []string{}
	for _, n := range [][2]int{changes, repeats, others, files, lines} {
		row = append(row, share(n[0], n[1]))
	}
	return row
}

func countOne(n *[2]int, noticed bool) {
	if n[1]++; noticed {
		n[0]++
	}
}

// noticed reports whether an addition noticed what it changes or repeats, or, if it does neither,
// whether it thought so.
func (r *replay) noticed(s *yearStatement) bool {
	k := r.kept[s]
	about := func(id string) bool { return r.ids[id] != nil && r.ids[id].fact == s.fact }
	switch {
	case s.changes:
		return slices.ContainsFunc(k.Contradicts, about)
	case s.repeats:
		return slices.ContainsFunc(k.Similar, about)
	}
	return len(k.Similar)+len(k.Contradicts) > 0
}

// misses returns a line for each wrong answer, for the person who looks for the reasons.
func (r *replay) misses() (lines []string) {
	add := func(why string, texts ...string) { lines = append(lines, why+"\t"+strings.Join(texts, "\t")) }
	for i, q := range r.asked {
		a := r.answers[i]
		if len(a.found) == 0 || !r.present(a.found[0], q.fact) {
			add("not first", q.text, r.text(a.found), q.fact.said[len(q.fact.said)-1].text)
		}
		present := 0
		for _, l := range a.offered {
			s := r.ids[l.ID]
			if s.outdated {
				add("outdated", q.text, s.text, s.fact.said[len(s.fact.said)-1].text)
			}
			if r.present(l.ID, q.fact) {
				if present++; present > 1 {
					add("repeated", q.text, s.fact.said[0].text, s.text)
				}
			}
		}
	}
	for _, s := range r.said {
		k := r.kept[s]
		switch noticed := r.noticed(s); {
		case noticed && !s.changes && !s.repeats:
			add("alarm", r.text(k.Contradicts), r.text(k.Similar), s.text)
		case !noticed && (s.changes || s.repeats):
			add(map[bool]string{true: "change", false: "repetition"}[s.changes], s.fact.said[0].text, s.text)
		}
	}
	return lines
}

// text returns the text of the first memory of some.
func (r *replay) text(ids []string) string {
	if len(ids) == 0 || r.ids[ids[0]] == nil {
		return "-"
	}
	return r.ids[ids[0]].text
}
