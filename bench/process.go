package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"time"
)

// start measures what one process costs above the least Go program.
func start(b *bench) error {
	store := b.store("start")
	if _, err := once(b.add(store, "ramen"), nil); err != nil {
		return err
	}
	got, err := race(200,
		contender{"hello", always(b.hello)},
		contender{"version", always(b.techo, "version")},
		contender{"tools", always(b.techo, "tools")},
		contender{"get", always(b.techo, "memo", "get", "ramen", "--store", store)},
		contender{"list", always(b.techo, "memo", "list", "--store", store)},
		contender{"add", func(i int) []string { return b.add(store, fmt.Sprint("n", i)) }},
	)
	if err != nil {
		return err
	}
	hello := median(got["hello"], cpu)
	rows := [][]string{{"command", "wall", "CPU", "CPU over hello", "at most"}}
	for _, c := range []struct{ name, limit string }{{"hello", ""}, {"version", "5 ms"}, {"tools", "5 ms"},
		{"get", "8 ms"}, {"list", "8 ms"}, {"add", "20 ms"}} {
		s := got[c.name]
		rows = append(rows, []string{c.name, ms(median(s, wall)), ms(median(s, cpu)), ms(median(s, cpu) - hello),
			c.limit})
	}
	table("One process, medians of 200", rows...)
	return nil
}

// sqlite measures the same insert and the same select by the sqlite3 shell.
func sqlite(b *bench) error {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		fmt.Println("\nsqlite3 is not installed: left out")
		return nil
	}
	db, store := filepath.Join(b.dir, "peer.db"), b.store("sqlite")
	schema := `PRAGMA journal_mode=WAL;
CREATE TABLE memo(id INTEGER PRIMARY KEY, name TEXT UNIQUE, content TEXT, priority INTEGER, updated INTEGER);
CREATE INDEX memo_order ON memo(priority DESC, updated DESC, name);`
	if _, err := once([]string{"sqlite3", db, schema}, nil); err != nil {
		return err
	}
	insert := func(i int) []string {
		return []string{"sqlite3", db, fmt.Sprintf(`PRAGMA synchronous=FULL;
INSERT INTO memo(name,content,priority,updated) VALUES('n%d','Tanaka likes ramen, above all miso',3,%d);`, i, i)}
	}
	held := b.store("held")
	let, err := hold(b, held)
	if err != nil {
		return err
	}
	defer let()
	get := func(store string) func(int) []string {
		return func(i int) []string {
			return []string{b.techo, "memo", "get", fmt.Sprint("n", i/2), "--store", store}
		}
	}
	got, err := race(600,
		contender{"sqlite3 insert", insert},
		contender{"memo add", func(i int) []string { return b.add(store, fmt.Sprint("n", i)) }},
		contender{"memo add beside one that stays", func(i int) []string { return b.add(held, fmt.Sprint("n", i)) }},
		contender{"sqlite3 select", func(i int) []string {
			return []string{"sqlite3", db, fmt.Sprintf("SELECT * FROM memo WHERE name='n%d'", i/2)}
		}},
		contender{"memo get", get(store)},
		contender{"memo get beside one that stays", get(held)},
	)
	if err != nil {
		return err
	}
	rows := [][]string{{"process", "wall p50", "p99", "CPU p50", "wall ratio", "CPU ratio", "at most"}}
	for _, c := range []struct{ name, peer, most string }{
		{"sqlite3 insert", "", ""},
		{"memo add", "sqlite3 insert", "6 ×"},
		{"memo add beside one that stays", "sqlite3 insert", "2.5 ×"},
		{"sqlite3 select", "", ""},
		{"memo get", "sqlite3 select", "3 ×"},
		{"memo get beside one that stays", "sqlite3 select", "2.5 ×"},
	} {
		s, peer := got[c.name], got[c.peer]
		row := []string{c.name, ms(median(s, wall)), ms(quantile(s, wall, 0.99)), ms(median(s, cpu)), "1", "1", c.most}
		if peer != nil {
			row[4], row[5] = ratio(median(s, wall), median(peer, wall)), ratio(median(s, cpu), median(peer, cpu))
		}
		rows = append(rows, row)
	}
	table("Beside sqlite3 (WAL, synchronous=FULL), medians of 600", rows...)
	return nil
}

// hold starts a process that has written to a store and stays, until let is called.
func hold(b *bench, store string) (let func(), err error) {
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
	let = func() {
		in.Close()
		_ = c.Wait() // it has answered what it was asked
	}
	fmt.Fprintln(in, `{"tool":"add_memo","input":{"name":"stays","content":"x","priority":1}}`)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		let()
		return nil, err
	}
	return let, nil
}

// flat measures whether the 10,000th write costs what the 100th did: a store
// with 9,880 memos, each added by a process, and a new one get 240 more by
// turns.
func flat(b *bench) error {
	const before, window = 10_000 - 120, 240
	old, fresh := b.store("flat-old"), b.store("flat-new")
	most := 0
	for i := range before {
		if _, err := once(b.add(old, fmt.Sprint("n", i)), nil); err != nil {
			return err
		}
		if i%100 == 0 {
			most = max(most, files(old))
		}
	}
	got, err := race(window,
		contender{"1 to 240", func(i int) []string { return b.add(fresh, fmt.Sprint("n", i)) }},
		contender{"9,881 to 10,120", func(i int) []string { return b.add(old, fmt.Sprint("n", before+i)) }},
	)
	if err != nil {
		return err
	}
	rows := [][]string{{"calls", "wall p50", "p99", "CPU p50", "CPU mean", "wall ratio", "CPU ratio",
		"CPU ratio of means"}}
	first := got["1 to 240"]
	for _, name := range []string{"1 to 240", "9,881 to 10,120"} {
		s := got[name]
		rows = append(rows, []string{name, ms(median(s, wall)), ms(quantile(s, wall, 0.99)), ms(median(s, cpu)),
			ms(mean(s, cpu)),
			ratio(median(s, wall), median(first, wall)), ratio(median(s, cpu), median(first, cpu)),
			ratio(mean(s, cpu), mean(first, cpu))})
	}
	table("`memo add`, one process each: the 100th and the 10,000th (at most 1.2 ×)", rows...)
	fmt.Printf("\nFiles in the store: %d at the end, %d at most (limit 40).\n", files(old), max(most, files(old)))
	return nil
}

func mean(samples []sample, measure func(sample) time.Duration) (sum time.Duration) {
	for _, s := range samples {
		sum += measure(s)
	}
	return sum / time.Duration(len(samples))
}

func files(dir string) (n int) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}
