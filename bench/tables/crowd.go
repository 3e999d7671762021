package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The crowd: so many processes at once, each followed by the next, and so many
// writes by each.
const (
	crowdWriters = 64
	crowdReaders = 8
)

func crowdWrites() int { return sized(100) }

// tally collects the results of processes that run at once.
type tally struct {
	mu      sync.Mutex
	samples []sample
	failed  []error
}

func (t *tally) add(s sample, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.samples = append(t.samples, s)
	if err != nil {
		t.failed = append(t.failed, err)
	}
}

// row returns the cells of a table.
func (t *tally) row(name string) []string {
	return []string{name, ms(median(t.samples, wall)), ms(quantile(t.samples, wall, 0.99)),
		ms(quantile(t.samples, wall, 1))}
}

// crowd measures writers and readers at once, by one process for each call, and
// counts the writes that are lost.
func crowd(b *bench) error {
	store := b.store("crowd")
	if _, err := once(b.add(store, "first"), nil); err != nil {
		return err
	}
	var writes, reads tally
	began := time.Now()
	var writing, reading sync.WaitGroup
	for w := range crowdWriters {
		writing.Go(func() {
			for i := range crowdWrites() {
				writes.add(once(b.add(store, fmt.Sprintf("w%d-%d", w, i)), nil))
			}
		})
	}
	written, done := context.WithCancel(context.Background())
	defer done()
	for range crowdReaders {
		reading.Go(func() {
			for written.Err() == nil {
				time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
				reads.add(once([]string{b.techo, "memo", "list", "--store", store}, nil))
			}
		})
	}
	writing.Wait()
	took := time.Since(began)
	done()
	reading.Wait()
	kept, err := count(b, store)
	if err != nil {
		return err
	}
	table(fmt.Sprintf("%d processes × %d writes at once, %d readers among them", crowdWriters, crowdWrites(),
		crowdReaders), []string{"", "p50", "p99", "max"}, writes.row("write"), reads.row("read"))
	failed := append(writes.failed, reads.failed...)
	fmt.Printf("\n%d of %d writes kept, %d errors, %.1f s in all.\n", kept-1, crowdWriters*crowdWrites(), len(failed),
		took.Seconds())
	for _, err := range failed {
		fmt.Println("-", err)
	}
	return nil
}

// count returns the number of memos in a store.
func count(b *bench, store string) (int, error) {
	out, err := output(b.techo, "memo", "list", "--limit", "1", "--store", store)
	if err != nil {
		return 0, err
	}
	var list struct {
		Total int `json:"total"`
	}
	return list.Total, json.Unmarshal(out, &list)
}

// rival is a program whose processes write at once while some of them are killed.
type rival struct {
	name string
	add  func(name string) []string
	busy string // part of the message for a call that has waited too long
	done string // part of the message for a name that is there already
	kept func(names []string) (int, error)
}

// attempts counts the results of a rival.
type attempts struct {
	tally

	kills, busy int
	names       []string // of acknowledged writes
}

// kills compares writers, some killed at random, with the same crowd of
// sqlite3 processes. A killed write is repeated until it is acknowledged.
func kills(b *bench) error {
	store, db := b.store("kills"), filepath.Join(b.dir, "kills.db")
	rivals := []*rival{{
		name: "techo", busy: `"code":"busy"`, done: `"code":"already_exists"`,
		add:  func(name string) []string { return b.add(store, name) },
		kept: func(names []string) (int, error) { return keptByTecho(b, store, names) },
	}}
	if _, err := exec.LookPath("sqlite3"); err == nil {
		if err := createDatabase(db); err != nil {
			return err
		}
		rivals = append(rivals, &rival{
			name: "sqlite3", busy: "locked", done: "-", // it inserts or ignores
			add:  func(name string) []string { return insertInto(db, name, "PRAGMA busy_timeout=10000;") },
			kept: func(names []string) (int, error) { return keptBySQLite(db, names) },
		})
	}
	rows := [][]string{{"", "p50", "p99", "max", "kills", "busy", "other errors", "lost", "p99 ratio", "at most"}}
	var last time.Duration
	for i := range rivals {
		r := rivals[len(rivals)-1-i] // techo is the last, to be compared
		a := r.crowd()
		kept, err := r.kept(a.names)
		if err != nil {
			return err
		}
		p99 := quantile(a.samples, wall, 0.99)
		row := append(a.row(r.name), fmt.Sprint(a.kills), fmt.Sprint(a.busy), fmt.Sprint(len(a.failed)),
			fmt.Sprintf("%d of %d", len(a.names)-kept, len(a.names)), "", "")
		if r.name == "techo" && last > 0 {
			row[8], row[9] = ratio(p99, last), "0.50 ×"
		}
		last = p99
		rows = append(rows, row)
		for _, err := range a.failed {
			fmt.Println("-", r.name, err)
		}
	}
	table(fmt.Sprintf("%d processes × %d writes at once with random kills, beside sqlite3 (WAL, busy_timeout 10 s)",
		crowdWriters, crowdWrites()), rows...)
	return nil
}

// crowd runs the writers of a rival.
func (r *rival) crowd() *attempts {
	a := &attempts{}
	var writing sync.WaitGroup
	for w := range crowdWriters {
		writing.Go(func() {
			for i := range crowdWrites() {
				r.write(a, fmt.Sprintf("w%d-%d", w, i))
			}
		})
	}
	writing.Wait()
	return a
}

// write repeats one write until it is acknowledged or fails.
func (r *rival) write(a *attempts, name string) {
	for killed := false; ; {
		s, dead, err := killable(r.add(name))
		if dead {
			killed = true
			a.mu.Lock()
			a.kills++
			a.mu.Unlock()
			continue
		}
		if err != nil && killed && strings.Contains(err.Error(), r.done) {
			err = nil // the killed process had written it
		}
		busy := err != nil && strings.Contains(err.Error(), r.busy)
		a.mu.Lock()
		switch {
		case busy:
			a.busy++
		case err == nil:
			a.names = append(a.names, name)
		}
		a.mu.Unlock()
		if busy {
			err = nil // counted
		}
		a.add(s, err)
		return
	}
}

// killable runs a process to its end. One in eight is killed after at most 0.4 s,
// unless it has ended by then.
func killable(args []string) (s sample, killed bool, err error) {
	ctx, stop := context.Background(), func() {}
	if rand.IntN(8) == 0 {
		ctx, stop = context.WithTimeout(ctx, time.Duration(rand.IntN(400_000))*time.Microsecond)
	}
	defer stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	s.wall = time.Since(began)
	if err != nil && ctx.Err() != nil {
		return s, true, nil
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return s, false, err
}

// keptByTecho returns how many of the names are in a store.
func keptByTecho(b *bench, store string, names []string) (int, error) {
	var calls bytes.Buffer
	for _, name := range names {
		fmt.Fprintf(&calls, `{"tool":"get_memo","input":{"memo_name":%q}}`+"\n", name)
	}
	cmd := exec.Command(b.techo, "call", "--batch", "--store", store)
	cmd.Stdin = &calls
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) && len(out) > 0 {
		err = nil // some calls failed
	}
	return bytes.Count(out, []byte(`"content":"Tanaka likes ramen`)), err
}

// keptBySQLite returns how many of the names are in a database.
func keptBySQLite(db string, names []string) (int, error) {
	out, err := output("sqlite3", db, "SELECT name FROM memo")
	if err != nil {
		return 0, err
	}
	there := map[string]bool{}
	for _, name := range strings.Fields(string(out)) {
		there[name] = true
	}
	kept := 0
	for _, name := range names {
		if there[name] {
			kept++
		}
	}
	return kept, nil
}
