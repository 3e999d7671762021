package tables

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// sqlite compares an insert and a select with the sqlite3 shell.
func sqlite(b *bench) error {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		fmt.Println("\nsqlite3 is not installed: left out")
		return nil
	}
	db, store, held := filepath.Join(b.dir, "peer.db"), b.store("sqlite"), b.store("held")
	if err := createDatabase(db); err != nil {
		return err
	}
	release, err := hold(b, held)
	if err != nil {
		return err
	}
	defer release()
	add := func(store string) func(int) []string {
		return func(i int) []string { return b.add(store, fmt.Sprint("n", i)) }
	}
	get := func(store string) func(int) []string {
		return func(i int) []string {
			return []string{b.techo, "memo", "get", fmt.Sprint("n", i/2), "--store", store}
		}
	}
	insert := func(i int) []string { return insertInto(db, fmt.Sprint("n", i), "") }
	find := func(i int) []string {
		return []string{"sqlite3", db, fmt.Sprintf("SELECT * FROM memo WHERE name='n%d'", i/2)}
	}
	rounds := sized(600)
	writes, err := race(rounds, contender{"sqlite3 insert", insert}, contender{"memo add", add(store)},
		contender{"memo add while another process has the store open", add(held)})
	if err != nil {
		return err
	}
	reads, err := race(rounds, contender{"sqlite3 select", find}, contender{"memo get", get(store)},
		contender{"memo get while another process has the store open", get(held)})
	if err != nil {
		return err
	}
	rows := [][]string{{"process", "wall p50", "p99", "CPU p50", "wall ratio", "CPU ratio", "at most"}}
	for _, c := range []struct {
		name, peer, most string
		got              map[string][]sample
	}{
		{"sqlite3 insert", "sqlite3 insert", "", writes},
		{"memo add", "sqlite3 insert", "1.7 × CPU", writes},
		{"memo add while another process has the store open", "sqlite3 insert", "", writes},
		{"sqlite3 select", "sqlite3 select", "", reads},
		{"memo get", "sqlite3 select", "1.9 × CPU", reads},
		{"memo get while another process has the store open", "sqlite3 select", "", reads},
	} {
		s, peer := c.got[c.name], c.got[c.peer]
		rows = append(rows, []string{c.name, ms(median(s, wall)), ms(quantile(s, wall, 0.99)), ms(median(s, cpu)),
			ratio(median(s, wall), median(peer, wall)), ratio(median(s, cpu), median(peer, cpu)), c.most})
	}
	table(fmt.Sprintf("Beside sqlite3 (WAL, synchronous=FULL), medians of %d", rounds), rows...)
	return nil
}

// createDatabase creates the table of memos in sqlite3's WAL mode.
func createDatabase(db string) error {
	_, err := once([]string{"sqlite3", db, `PRAGMA journal_mode=WAL;
CREATE TABLE memo(id INTEGER PRIMARY KEY, name TEXT UNIQUE, content TEXT, priority INTEGER, updated INTEGER);
CREATE INDEX memo_order ON memo(priority DESC, updated DESC, name);`}, nil)
	return err
}

// insertInto returns the command line that inserts a memo as durably as techo
// adds one. More is SQL to run before.
func insertInto(db, name, more string) []string {
	return []string{"sqlite3", db, fmt.Sprintf(`%sPRAGMA synchronous=FULL;
INSERT OR IGNORE INTO memo(name,content,priority,updated) VALUES('%s','Tanaka likes ramen, above all miso',3,0);`,
		more, name)}
}

// hold starts a process that has written to a store and stays until release is
// called.
func hold(b *bench, store string) (release func(), err error) {
	c := exec.Command(b.techo, "call", "--batch", "--store", store)
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	release = func() {
		in.Close()
		_ = c.Wait() // all calls have been answered
	}
	fmt.Fprintln(in, `{"tool":"add_memo","input":{"name":"stays","content":"x","priority":1}}`)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// calls returns the lines of a batch that adds memos.
func calls(from, to int) []byte {
	var b bytes.Buffer
	for i := from; i < to; i++ {
		fmt.Fprintf(
			&b, `{"tool":"add_memo","input":{"name":"n%d","content":"Tanaka likes ramen, above all miso",`+
				`"priority":%d},"id":%d}`+"\n", i, 1+i%5, i)
	}
	return b.Bytes()
}

// batch compares adds by one process with adds by one process each.
func batch(b *bench) error {
	n := sized(10_000)
	one, err := race(sized(300), contender{"add",
		func(i int) []string { return b.add(b.store("single"), fmt.Sprint("n", i)) }})
	if err != nil {
		return err
	}
	var runs []sample
	for i := range 3 {
		s, err := once([]string{b.techo, "call", "--batch", "--store", b.store(fmt.Sprint("batch", i))}, calls(0, n))
		if err != nil {
			return err
		}
		runs = append(runs, s)
	}
	each, all := median(one["add"], wall), median(runs, wall)/time.Duration(n)
	table(fmt.Sprintf("`call --batch` of %d adds", n),
		[]string{"", "a memo", "faster"},
		[]string{"one process each", ms(each), "1"},
		[]string{"one batch", fmt.Sprintf("%.1f µs", float64(all)/1e3), ratio(each, all) + " (at least 20 ×)"})
	return nil
}

// scale compares calls on a small and on a large store.
func scale(b *bench) error {
	few, many, rounds := 100, sized(100_000), sized(100)
	small, large := b.store("few"), b.store("many")
	for store, n := range map[string]int{small: few, large: many} {
		if _, err := once([]string{b.techo, "call", "--batch", "--store", store}, calls(0, n)); err != nil {
			return err
		}
	}
	var contenders []contender
	commands := map[string][]string{
		"memo list --limit 10": {"memo", "list", "--limit", "10"},
		"memo context":         {"memo", "context"},
		"memo get":             {"memo", "get", "n50"},
		"memo tags":            {"memo", "tags"},
	}
	for name, words := range commands {
		for _, store := range []string{small, large} {
			contenders = append(contenders,
				contender{name + store, always(append(append([]string{b.techo}, words...), "--store", store)...)})
		}
	}
	got, err := race(rounds, contenders...)
	if err != nil {
		return err
	}
	rows := [][]string{{"command", fmt.Sprint(few, " memos"), fmt.Sprint(many, " memos"), "wall ratio", "CPU ratio"}}
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		s, l := got[name+small], got[name+large]
		rows = append(rows, []string{name, ms(median(s, wall)), ms(median(l, wall)),
			ratio(median(l, wall), median(s, wall)), ratio(median(l, cpu), median(s, cpu))})
	}
	table(fmt.Sprintf("Few and many memos, medians of %d", rounds), rows...)
	return nil
}
