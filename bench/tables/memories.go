package tables

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// zipf draws words. The n-th word is drawn 1/n times as often as the first.
type zipf struct {
	words []string
	sums  []float64
	rand  *rand.Rand
}

func newZipf(size int) *zipf {
	z := &zipf{rand: rand.New(rand.NewPCG(7, 7))}
	sum := 0.0
	for i := range size {
		sum += 1 / float64(i+1)
		z.sums = append(z.sums, sum)
		var w strings.Builder
		for n := i + 1000; n > 0; n /= 90 {
			w.WriteByte("bcdfghjklmnprstvwz"[n%90/5])
			w.WriteByte("aeiou"[n%5])
		}
		z.words = append(z.words, w.String())
	}
	return z
}

func (z *zipf) text(words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		at := sort.SearchFloat64s(z.sums, z.rand.Float64()*z.sums[len(z.sums)-1])
		b.WriteString(z.words[min(at, len(z.words)-1)])
	}
	return b.String()
}

// memoriesCount returns the number of memories to generate: TECHO_BENCH_MEMORIES,
// or otherwise.
func memoriesCount(otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv("TECHO_BENCH_MEMORIES")); err == nil && n > 0 {
		return n
	}
	return sized(otherwise)
}

// generate writes n memories of 60 words each to a file of JSON lines, and the same
// texts to a plain file.
func (b *bench) generate(n int) (jsonl, plain string, z *zipf, err error) {
	jsonl, plain, z = filepath.Join(b.dir, "memories.jsonl"), filepath.Join(b.dir, "memories.txt"), newZipf(50_000)
	var files [2]*bufio.Writer
	for i, name := range []string{jsonl, plain} {
		f, err := os.Create(name)
		if err != nil {
			return "", "", nil, err
		}
		defer f.Close()
		files[i] = bufio.NewWriterSize(f, 1<<20)
	}
	for range n {
		text := z.text(60)
		fmt.Fprintf(files[0], "{\"full_text\":%q}\n", text)
		fmt.Fprintln(files[1], text)
	}
	for _, f := range files {
		if err := f.Flush(); err != nil {
			return "", "", nil, err
		}
	}
	return jsonl, plain, z, nil
}

// memories measures the import of a million memories, searches beside sqlite3's
// FTS5, and adding one more.
func memories(b *bench) error {
	n := memoriesCount(1_000_000)
	jsonl, plain, z, err := b.generate(n)
	if err != nil {
		return err
	}
	store, empty := b.store("memories"), b.store("memories-empty")
	s, err := once([]string{b.techo, "import", "memories", jsonl, "--store", store, "--user", "bench"}, nil)
	if err != nil {
		return err
	}
	table(fmt.Sprintf("Import of %d memories of 60 words", n),
		[]string{"", "wall", "CPU", "memories a second", "at least"},
		[]string{"import memories", ms(s.wall), ms(s.cpu), fmt.Sprintf("%.0f", float64(n)/s.wall.Seconds()), "20000"})
	if err := b.searches(n, store, plain, z); err != nil {
		return err
	}
	add := func(store string) func(int) []string {
		return func(i int) []string {
			return []string{b.techo, "memory", "add", fmt.Sprint(z.text(60), " number", i), "--store", store, "--user",
				"bench"}
		}
	}
	rounds := sized(600)
	got, err := race(rounds, contender{"empty", add(empty)}, contender{"full", add(store)})
	if err != nil {
		return err
	}
	rows := [][]string{{"memory add", "wall p50", "p99", "CPU p50", "CPU mean", "wall ratio", "CPU ratio",
		"CPU ratio of means", "at most"}}
	for _, c := range [][2]string{{"empty", "to an empty store"}, {"full", fmt.Sprint("to ", n)}} {
		s, first := got[c[0]], got["empty"]
		rows = append(rows, []string{c[1], ms(median(s, wall)), ms(quantile(s, wall, 0.99)), ms(median(s, cpu)),
			ms(mean(s, cpu)),
			ratio(median(s, wall), median(first, wall)), ratio(median(s, cpu), median(first, cpu)),
			ratio(mean(s, cpu), mean(first, cpu)), "1.5 ×"})
	}
	table(fmt.Sprintf("Adding one memory, medians of %d", rounds), rows...)
	return nil
}

// ftsScript makes sqlite3 import the lines of a file into a table with FTS5.
func ftsScript(plain string) []byte {
	return []byte("CREATE VIRTUAL TABLE m USING fts5(text, tokenize='porter unicode61');\n.mode ascii\n.separator " +
		"\"\\037\" \"\\n\"\n.import " + plain + " m\nINSERT INTO m(m) VALUES('optimize');\n")
}

// searches compares searches for 3 to 5 words with sqlite3, by one process each.
func (b *bench) searches(n int, store, plain string, z *zipf) error {
	var questions [][]string
	for range sized(200) {
		questions = append(questions, strings.Fields(z.text(3+z.rand.IntN(3))))
	}
	contenders := []contender{{"techo", func(i int) []string {
		return []string{b.techo, "memory", "search", strings.Join(questions[i], " "), "--store", store, "--user",
			"bench"}
	}}}
	db := filepath.Join(b.dir, "memories.db")
	if _, err := exec.LookPath("sqlite3"); err == nil {
		if _, err := once([]string{"sqlite3", db}, ftsScript(plain)); err != nil {
			return err
		}
		for k, words := range [][]string{{"any word", " OR "}, {"all words", " "}} {
			contenders = append(contenders,
				contender{"sqlite3, " + words[0], func(i int) []string {
					// Both ask every question, but never the same one in a round: the first one to ask it
					// would read the pages for the other.
					question := questions[(i+k*len(questions)/2)%len(questions)]
					return []string{"sqlite3", db,
						"SELECT rowid, snippet(m,0,'','','…',20), rank FROM m WHERE m MATCH '\"" +
							strings.Join(question, "\""+words[1]+"\"") + "\"' ORDER BY rank LIMIT 5"}
				}})
		}
	}
	got, err := race(len(questions), contenders...)
	if err != nil {
		return err
	}
	rows := [][]string{{"search", "wall p50", "p95", "p99", "CPU p50", "techo's wall ratio", "techo's CPU ratio",
		"at most"}}
	techo := got["techo"]
	for i, c := range contenders {
		s := got[c.name]
		rows = append(rows, []string{c.name, ms(median(s, wall)), ms(quantile(s, wall, 0.95)),
			ms(quantile(s, wall, 0.99)), ms(median(s, cpu)), ratio(median(techo, wall), median(s, wall)),
			ratio(median(techo, cpu), median(s, cpu)), []string{"", "0.02 ×", "0.9 ×"}[i]})
	}
	table(fmt.Sprintf("Search of 3 to 5 words among %d memories, medians of %d", n, len(questions)), rows...)
	fmt.Printf("\nPeak memory of a search: %d MB at most (limit 150 MB).\n", int64(math.Ceil(float64(peak(techo))/1e6)))
	return nil
}
