package tables

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// reader is a program whose processes read beside its writers.
type reader struct {
	name       string
	add        func(name string) []string
	get        []string
	reads      []sample
	writes     int
	failed     []error
	lastWriter atomic.Int64
}

// readers measures one process of a reader after another beside writers, with the disk as it is
// and with slow syncs, beside sqlite3; then beside an import.
func readers(b *bench) error {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		fmt.Println("\nsqlite3 is not installed: left out")
		return nil
	}
	if err := readersBesideWriters(b, b.dir, "the disk as it is"); err != nil {
		return err
	}
	if err := readersOnSlowDisk(b); err != nil {
		return err
	}
	return readersBesideImport(b)
}

func readersOnSlowDisk(b *bench) (err error) {
	dir, unmount, err := slowDisk(b.dir)
	if err != nil {
		fmt.Println("\nThe slow disk is left out:", err)
		return nil
	}
	defer func() { err = errors.Join(err, unmount()) }()
	return readersBesideWriters(b, dir, "each sync 5 ms slower")
}

// readersBesideWriters measures stores in a folder.
func readersBesideWriters(b *bench, dir, title string) error {
	lasts := time.Duration(sized(6000)) * time.Millisecond
	rows := [][]string{{"writers", "program", "writes a second", "ratio", "read p50", "p95", "p50 ratio", "p95 ratio",
		"at most"}}
	for _, writers := range []int{0, 4, 16, 48} {
		store := filepath.Join(dir, fmt.Sprintf("readers-%d", writers))
		db := store + ".db"
		if err := createDatabase(db); err != nil {
			return err
		}
		rivals := []*reader{{
			name: "sqlite3",
			add:  func(name string) []string { return insertInto(db, name, "PRAGMA busy_timeout=60000;") },
			get:  []string{"sqlite3", db, "PRAGMA busy_timeout=60000; SELECT * FROM memo WHERE name='first'"},
		}, {
			name: "techo",
			add:  func(name string) []string { return b.add(store, name) },
			get:  []string{b.techo, "memo", "get", "first", "--store", store},
		}}
		for _, r := range rivals { // by turns, so that other load hits both
			if _, err := once(r.add("first"), nil); err != nil {
				return err
			}
		}
		for range 3 {
			for _, r := range rivals {
				r.beside(writers, lasts/3)
			}
		}
		for _, r := range rivals {
			if len(r.failed) > 0 {
				return fmt.Errorf("%s: %d failed, first: %w", r.name, len(r.failed), r.failed[0])
			}
			peer := rivals[0]
			row := []string{fmt.Sprint(writers), r.name, fmt.Sprintf("%.0f", float64(r.writes)/lasts.Seconds()), "",
				ms(median(r.reads, wall)), ms(quantile(r.reads, wall, 0.95)), "", "", ""}
			if r != peer {
				if peer.writes > 0 {
					row[3] = fmt.Sprintf("%.2f ×", float64(r.writes)/float64(peer.writes))
				}
				row[6] = ratio(median(r.reads, wall), median(peer.reads, wall))
				row[7] = ratio(quantile(r.reads, wall, 0.95), quantile(peer.reads, wall, 0.95))
				row[8] = "3 ×"
			}
			rows = append(rows, row)
		}
	}
	table("One process after another reads beside writers, "+title, rows...)
	return nil
}

// beside runs writers for a time, and one read after another.
func (r *reader) beside(writers int, lasts time.Duration) {
	ctx, stop := context.WithTimeout(context.Background(), lasts)
	defer stop()
	var mu sync.Mutex
	var writing sync.WaitGroup
	for range writers {
		writing.Go(func() {
			for ctx.Err() == nil {
				name := fmt.Sprint("w", r.lastWriter.Add(1))
				_, err := once(r.add(name), nil)
				mu.Lock()
				if err != nil {
					r.failed = append(r.failed, err)
				} else if ctx.Err() == nil {
					r.writes++
				}
				mu.Unlock()
			}
		})
	}
	for ctx.Err() == nil {
		s, err := once(r.get, nil)
		mu.Lock()
		if err != nil {
			r.failed = append(r.failed, err)
		}
		mu.Unlock()
		r.reads = append(r.reads, s)
	}
	writing.Wait()
}

// readersBesideImport measures reads and short writes while memories are imported.
func readersBesideImport(b *bench) error {
	n := memoriesCount(100_000)
	jsonl, _, _, err := b.generate(n)
	if err != nil {
		return err
	}
	store := b.store("readers-import")
	if _, err := once(b.add(store, "first"), nil); err != nil {
		return err
	}
	get := []string{b.techo, "memo", "get", "first", "--store", store}
	quiet, err := repeat(sized(200), get)
	if err != nil {
		return err
	}
	rows := [][]string{{"call", "calls", "p50", "p95", "max", "p95 ratio", "at most"},
		timesRow("memo get, alone", quiet, nil, "")}
	for _, c := range []struct {
		name, most string
		args       func(i int) []string
	}{
		{"memo get, beside the import", "2 ×", func(int) []string { return get }},
		{"memo add, beside the import", "100 ms", func(i int) []string { return b.add(store, fmt.Sprint("n", i)) }},
	} {
		to := []string{b.techo, "import", "memories", jsonl, "--store", store, "--user", c.name[:8]}
		ended := make(chan error, 1)
		go func() { _, err := once(to, nil); ended <- err }()
		var took []sample
		for i := 0; len(ended) == 0; i++ {
			s, err := once(c.args(i), nil)
			if err != nil {
				return err
			}
			took = append(took, s)
		}
		if err := <-ended; err != nil {
			return err
		}
		rows = append(rows, timesRow(c.name, took, quiet, c.most))
	}
	table(fmt.Sprintf("Beside an import of %d memories", n), rows...)
	return nil
}

func timesRow(name string, took, quiet []sample, most string) []string {
	row := []string{name, fmt.Sprint(len(took)), ms(median(took, wall)), ms(quantile(took, wall, 0.95)),
		ms(quantile(took, wall, 1)), "", most}
	if quiet != nil {
		row[5] = ratio(quantile(took, wall, 0.95), quantile(quiet, wall, 0.95))
	}
	return row
}

// repeat runs the same process again and again.
func repeat(n int, args []string) (all []sample, err error) {
	for range n {
		s, err := once(args, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// callsBesideWriters measures the reads of a server's clients alone and beside clients that
// write.
func callsBesideWriters(b *bench) (err error) {
	store := b.store("readers-server")
	if _, err := once(b.add(store, "memo"), nil); err != nil {
		return err
	}
	g := &teamRun{lasts: time.Duration(sized(6000)) * time.Millisecond}
	defer func() { err = errors.Join(err, g.stop()) }()
	if err := g.start(b.techo, store); err != nil {
		return err
	}
	reads := teamCalls{"", "get_memo", `{"memo_name":"memo"}`, false}
	adds := teamCalls{"", "add_memory", `{"full_text":%q}`, false}
	alone, failed := g.measure(reads, 8)
	var written []time.Duration
	var writing sync.WaitGroup
	writing.Go(func() { written, _ = g.measure(adds, 16) })
	beside, more := g.measure(reads, 8)
	writing.Wait()
	second := func(took []time.Duration) string { return fmt.Sprintf("%.0f", float64(len(took))/g.lasts.Seconds()) }
	table("8 clients of `techo serve` call `get_memo`",
		[]string{"", "a second", "p50", "p99", "errors", "ratio", "at least"},
		[]string{"alone", second(alone), ms(at(alone, 0.5)), ms(at(alone, 0.99)), fmt.Sprint(failed), "", ""},
		[]string{"beside 16 clients that add memories, " + second(written) + " a second", second(beside),
			ms(at(beside, 0.5)), ms(at(beside, 0.99)), fmt.Sprint(more),
			fmt.Sprintf("%.2f ×", float64(len(beside))/float64(max(1, len(alone)))), "0.4 ×"})
	return nil
}
