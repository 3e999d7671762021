package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	exportRounds = 3
	editedCount  = 100 // memories that are edited between two exports
)

// exporter measures `export memories` into folders.
type exporter struct {
	*bench
	store, dir, tar string // tar is an archive of dir
	words           *zipf
}

// exports compares an export of memories with tar, which writes the same files. It
// then measures an export without changes and one with 100 edited memories.
func exports(b *bench) error {
	n := memoriesCount(100_000)
	jsonl, _, words, err := b.generate(n)
	if err != nil {
		return err
	}
	e := &exporter{b, b.store("export"), filepath.Join(b.dir, "folder"), filepath.Join(b.dir, "folder.tar"), words}
	for _, args := range [][]string{
		{b.techo, "import", "memories", jsonl, "--store", e.store, "--user", "bench"},
		e.command(e.dir), {"tar", "cf", e.tar, "-C", e.dir, "."},
	} {
		if _, err := once(args, nil); err != nil {
			return err
		}
	}
	got, err := e.race()
	if err != nil {
		return err
	}
	changed, verify, err := e.changed()
	if err != nil {
		return err
	}
	peer := got["tar x"]
	row := func(name, most string, s ...sample) []string {
		return []string{name, ms(median(s, wall)), ms(median(s, cpu)),
			ratio(median(s, wall), median(peer, wall)), ratio(median(s, cpu), median(peer, cpu)), most}
	}
	table(fmt.Sprintf("Export of %d memories, medians of %d", n, exportRounds),
		[]string{"", "wall", "CPU", "wall beside tar", "CPU beside tar", "at most"},
		row("tar x", "", peer...), row("first run", "2 ×", got["first run"]...),
		row("nothing changed", "2 s", got["nothing changed"]...), row(fmt.Sprint(editedCount, " edited"), "", changed))
	return verify()
}

// command returns the command line of an export.
func (e *exporter) command(dir string) []string {
	return []string{e.techo, "export", "memories", "--to-dir", dir, "--store", e.store, "--user", "bench"}
}

// race exports to new folders, twice to each, and extracts the archive, by turns.
func (e *exporter) race() (map[string][]sample, error) {
	got := map[string][]sample{}
	for i := range exportRounds {
		fresh, extracted := fmt.Sprint(e.dir, i), fmt.Sprint(e.tar, i)
		if err := os.Mkdir(extracted, 0o755); err != nil {
			return nil, err
		}
		for _, c := range []struct {
			name string
			args []string
		}{{"first run", e.command(fresh)}, {"tar x", []string{"tar", "xf", e.tar, "-C", extracted}},
			{"nothing changed", e.command(fresh)}} {
			s, err := once(c.args, nil)
			if err != nil {
				return nil, err
			}
			got[c.name] = append(got[c.name], s)
		}
		if err := errors.Join(os.RemoveAll(fresh), os.RemoveAll(extracted)); err != nil {
			return nil, err
		}
	}
	return got, nil
}

// changed measures an export after some memories were edited. verify checks the
// files that it has written.
func (e *exporter) changed() (s sample, verify func() error, err error) {
	ids, err := e.editSome()
	if err != nil {
		return s, nil, err
	}
	before, err := times(e.dir)
	if err != nil {
		return s, nil, err
	}
	if s, err = once(e.command(e.dir), nil); err != nil {
		return s, nil, err
	}
	after, err := times(e.dir)
	return s, func() error { return onlyThose(ids, before, after) }, err
}

// editSome gives new texts to memories and returns their ids.
func (e *exporter) editSome() (ids map[string]bool, err error) {
	list, err := output(e.techo, "memory", "list", "--limit", fmt.Sprint(editedCount), "--offset", "50", "--store",
		e.store, "--user", "bench")
	if err != nil {
		return nil, err
	}
	var listed struct {
		Memories []struct{ ID, Caption string }
	}
	if err := json.Unmarshal(list, &listed); err != nil {
		return nil, err
	}
	ids = map[string]bool{}
	var calls bytes.Buffer
	for _, m := range listed.Memories {
		ids[m.ID] = true
		fmt.Fprintf(&calls, "{\"tool\":\"edit_memory\",\"input\":{\"id\":%q,\"full_text\":%q}}\n", m.ID,
			e.words.text(60))
	}
	_, err = once([]string{e.techo, "call", "--batch", "--store", e.store, "--user", "bench"}, calls.Bytes())
	return ids, err
}

// times returns the modification times of the files in a folder.
func times(dir string) (map[string]time.Time, error) {
	names, err := os.ReadDir(dir)
	all := map[string]time.Time{}
	for _, n := range names {
		if st, e := n.Info(); e == nil {
			all[n.Name()] = st.ModTime()
		}
	}
	return all, err
}

// onlyThose checks that exactly the files of edited memories were written.
func onlyThose(ids map[string]bool, before, after map[string]time.Time) error {
	written, others := 0, []string{}
	for name, at := range after {
		switch {
		case before[name].Equal(at):
		case ids[strings.TrimSuffix(name, ".md")]:
			written++
		case name != "INDEX.md" && name != ".techo-export":
			others = append(others, name)
		}
	}
	fmt.Printf("\nAfter %d edits, %d files were written, and %d files of other memories.\n", len(ids), written,
		len(others))
	if written != len(ids) || len(others) > 0 || len(after) != len(before) {
		return fmt.Errorf("%d of %d edited memories were written, and also %v", written, len(ids), others)
	}
	return nil
}
