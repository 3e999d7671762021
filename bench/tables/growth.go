package tables

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// growth measures how the costs of whole processes grow with the number of memories, beside sqlite3 with FTS5.
// TECHO_BENCH_MEMORIES adds a size.
func growth(b *bench) error {
	sizes := []int{100, sized(10_000), sized(100_000)}
	if n, err := strconv.Atoi(os.Getenv("TECHO_BENCH_MEMORIES")); err == nil {
		sizes = append(sizes, n)
	}
	var names []string
	all := map[string][]sample{} // by the name of a row, one for each size
	note := func(name string, s sample) {
		if all[name] == nil {
			names = append(names, name)
		}
		all[name] = append(all[name], s)
	}
	head := []string{"CPU / peak"}
	for _, n := range sizes {
		head = append(head, fmt.Sprint(n))
		if err := b.grown(n, note); err != nil {
			return err
		}
	}
	rows := [][]string{append(head, "growth of CPU")}
	for _, name := range names {
		row := []string{name}
		for _, s := range all[name] {
			row = append(row, fmt.Sprintf("%s / %d MB", ms(s.cpu), s.memory>>20))
		}
		last := all[name][len(sizes)-1]
		rows = append(rows, append(row, ratio(last.cpu, all[name][1].cpu)))
	}
	table(fmt.Sprintf("Growth from %d to %d memories: at most 2 × for what reads a page, linear for what reads all",
		sizes[1], sizes[len(sizes)-1]), rows...)
	return nil
}

// grown measures the commands on a store with n memories. note gets the cost of each.
func (b *bench) grown(n int, note func(name string, s sample)) error {
	jsonl, plain, z, err := b.generate(n)
	if err != nil {
		return err
	}
	forgetPeak()
	store := b.store(fmt.Sprint("growth-", n))
	out := filepath.Join(b.dir, "growth.out")
	techo := func(args ...string) []string {
		return append([]string{b.techo, "--store", store, "--user", "bench"}, args...)
	}
	whole := func(name string, args []string, stdin []byte) error {
		s, err := once(args, stdin)
		note(name, s)
		return err
	}
	if err := whole("import", techo("import", "memories", jsonl), nil); err != nil {
		return err
	}
	id, err := b.addOne(store)
	if err != nil {
		return err
	}
	pages := []contender{
		{"add", func(i int) []string { return techo("memory", "add", fmt.Sprint(z.text(60), " number", i)) }},
		{"get", always(techo("memory", "get", id)...)},
		{"search, two words", func(int) []string { return techo("memory", "search", z.text(2)) }},
		{"search, long", func(int) []string { return techo("memory", "search", z.text(20)) }},
		{"context", func(int) []string { return techo("memory", "context", z.text(8)) }},
		{"list", always(techo("memory", "list", "--limit", "5")...)},
		{"review", always(techo("memory", "review")...)},
		{"history --limit 1", always(techo("history", "--limit", "1")...)},
		{"history --about", always(techo("history", "--about", id)...)},
	}
	if _, err := exec.LookPath("sqlite3"); err == nil {
		db := filepath.Join(b.dir, fmt.Sprint("growth-", n, ".db"))
		if err := whole("sqlite3: import", []string{"sqlite3", db}, ftsScript(plain)); err != nil {
			return err
		}
		pages = append(pages, contender{"sqlite3: search, two words", func(int) []string {
			return []string{"sqlite3", db, "SELECT rowid, rank FROM m WHERE m MATCH '\"" +
				strings.Join(strings.Fields(z.text(2)), `" OR "`) + "\"' ORDER BY rank LIMIT 5"}
		}})
	}
	got, err := race(sized(20), pages...)
	if err != nil {
		return err
	}
	for _, c := range pages {
		note(c.name, sample{cpu: median(got[c.name], cpu), wall: median(got[c.name], wall), memory: peak(got[c.name])})
	}
	for _, step := range []struct {
		name string
		args []string
	}{
		{"export .jsonl", techo("export", "memories", "--to", out)},
		{"backup", techo("store", "backup", out+".backup")},
		{"verify", techo("store", "verify")},
		{"compact", techo("store", "compact")},
	} {
		if err := whole(step.name, step.args, nil); err != nil {
			return err
		}
		_ = os.Remove(out)
		_ = os.Remove(out + ".backup")
	}
	return b.grownTodos(n, note)
}

// addOne adds a memory and returns its id.
func (b *bench) addOne(store string) (string, error) {
	answer, err := output(b.techo, "--store", store, "--user", "bench", "memory", "add", "Tanaka likes ramen")
	var added struct {
		Memory struct {
			ID string `json:"id"`
		} `json:"memory"`
	}
	if err == nil {
		err = json.Unmarshal(answer, &added)
	}
	return added.Memory.ID, err
}

// grownTodos measures lists of n/10 to-dos.
func (b *bench) grownTodos(n int, note func(name string, s sample)) error {
	file, store := filepath.Join(b.dir, "todos.ics"), b.store(fmt.Sprint("growth-todos-", n))
	var ics strings.Builder
	ics.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\n")
	for i := range n / 10 {
		due := time.Date(2026, 1, 1+i%700, i%24, 0, 0, 0, time.UTC)
		fmt.Fprintf(&ics, "BEGIN:VTODO\r\nUID:todo-%d\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:Task %d\r\nDUE:%s\r\nEND:VTODO\r\n",
			i, i, due.Format("20060102T150405Z"))
	}
	ics.WriteString("END:VCALENDAR\r\n")
	if err := os.WriteFile(file, []byte(ics.String()), 0o644); err != nil {
		return err
	}
	if _, err := once([]string{b.techo, "--store", store, "import", "calendar", file}, nil); err != nil {
		return err
	}
	const name = "todo list --limit 5, a tenth as many"
	got, err := race(sized(20), contender{name, always(b.techo, "--store", store, "todo", "list", "--limit", "5")})
	if err != nil {
		return err
	}
	note(name, sample{cpu: median(got[name], cpu), wall: median(got[name], wall), memory: peak(got[name])})
	return nil
}
