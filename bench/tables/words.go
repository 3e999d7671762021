package tables

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"techo/internal/meaning"
	"techo/store/memory"
)

// The numbers of texts that lie beside the memories of a file with questions in other words.
const (
	besideTurns    = 200
	besidePassages = 60
)

// inOtherWords returns the rows of the files with questions in other words.
func inOtherWords(b *bench, locomo []corpus, passages corpus) (rows [][]string, err error) {
	var turns corpus
	if len(locomo) > 0 {
		turns = locomo[0]
	}
	for _, name := range b.files {
		if filepath.Ext(name) != ".tsv" {
			continue
		}
		corpora, names, err := readOtherWords(name, turns, passages)
		if err != nil {
			return nil, err
		}
		for i, c := range corpora {
			r, err := b.recall([]corpus{c})
			if err != nil {
				return nil, err
			}
			rows = append(rows, append([]string{names[i]}, r.row()...))
		}
	}
	return rows, nil
}

// readOtherWords reads a file of lines: a memory and questions that share no word with it, separated
// by tabs. It returns a corpus for each language of the questions. The memories of all lines lie
// beside turns and passages, each without a session.
func readOtherWords(name string, turns, passages corpus) (corpora []corpus, names []string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	all := corpus{sessions: map[string]string{}}
	keep := func(text string, at time.Time) string {
		name := fmt.Sprint(len(all.names))
		all.names, all.sessions[name] = append(all.names, name), name
		all.memories = append(all.memories, memory.Memory{FullText: text, CreatedAt: at})
		return name
	}
	imported := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	for _, m := range slices.Concat(turns.memories[:min(besideTurns, len(turns.memories))],
		passages.memories[:min(besidePassages, len(passages.memories))]) {
		if speaker, said, ok := strings.Cut(m.FullText, "): "); ok {
			who, _, _ := strings.Cut(speaker, " (")
			m.FullText = who + ": " + said
		}
		keep(m.FullText, imported)
	}
	asked := map[string][]question{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		name := keep(fields[0], imported.AddDate(0, 2, 0))
		for _, q := range fields[1:] {
			asked[language(q)] = append(asked[language(q)], question{q, []string{name}})
		}
	}
	for _, language := range slices.Sorted(maps.Keys(asked)) {
		c := all
		c.questions = asked[language]
		corpora = append(corpora, c)
		names = append(names, strings.TrimSuffix(filepath.Base(name), ".tsv")+", "+language)
	}
	return corpora, names, nil
}

// language returns the language of a question.
func language(text string) string {
	if strings.ContainsFunc(text, meaning.Japanese) {
		return "Japanese"
	}
	return "English"
}
