package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// exports measures a folder of memories beside tar, which writes the same
// files, by turns; then runs with nothing changed, and with 100 memories that
// were edited.
func exports(b *bench) error {
	const rounds, edited = 3, 100
	n := memoriesCount(100_000)
	jsonl, _, z, err := b.generate(n)
	if err != nil {
		return err
	}
	store, dir, tar := b.store("export"), filepath.Join(b.dir, "folder"), filepath.Join(b.dir, "folder.tar")
	export := func(dir string) []string {
		return []string{b.techo, "export", "memories", "--to-dir", dir, "--store", store, "--user", "bench"}
	}
	if _, err := once([]string{b.techo, "import", "memories", jsonl, "--store", store, "--user", "bench"},
		nil); err != nil {
		return err
	}
	for _, args := range [][]string{export(dir), {"tar", "cf", tar, "-C", dir, "."}} {
		if _, err := once(args, nil); err != nil {
			return err
		}
	}
	got := map[string][]sample{}
	for i := range rounds {
		fresh, untarred := fmt.Sprint(dir, i), fmt.Sprint(tar, i)
		if err := os.Mkdir(untarred, 0o755); err != nil {
			return err
		}
		for _, c := range []struct {
			name string
			args []string
		}{{"first run", export(fresh)}, {"tar x", []string{"tar", "xf", tar, "-C", untarred}},
			{"nothing changed", export(fresh)}} {
			s, err := once(c.args, nil)
			if err != nil {
				return err
			}
			got[c.name] = append(got[c.name], s)
		}
		for _, d := range []string{fresh, untarred} {
			if err := os.RemoveAll(d); err != nil {
				return err
			}
		}
	}
	ids, err := b.editSome(store, edited, z)
	if err != nil {
		return err
	}
	before, err := times(dir)
	if err != nil {
		return err
	}
	changed, err := once(export(dir), nil)
	if err != nil {
		return err
	}
	after, err := times(dir)
	if err != nil {
		return err
	}
	row := func(name, most string, s ...sample) []string {
		return []string{name, ms(median(s, wall)), ms(median(s, cpu)),
			ratio(median(s, wall), median(got["tar x"], wall)), ratio(median(s, cpu), median(got["tar x"], cpu)), most}
	}
	table(fmt.Sprintf("Export of %d memories, medians of %d", n, rounds),
		[]string{"", "wall", "CPU", "wall beside tar", "CPU beside tar", "at most"},
		row("tar x", "", got["tar x"]...), row("first run", "2 ×", got["first run"]...),
		row("nothing changed", "2 s", got["nothing changed"]...), row(fmt.Sprint(edited, " edited"), "", changed))
	return onlyThose(ids, before, after)
}

// editSome gives new texts to memories, and returns their ids.
func (b *bench) editSome(store string, n int, z *zipf) (ids map[string]bool, err error) {
	list, err := output(b.techo, "memory", "list", "--limit", fmt.Sprint(n), "--offset", "50", "--store", store,
		"--user", "bench")
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
		fmt.Fprintf(&calls, "{\"tool\":\"edit_memory\",\"input\":{\"id\":%q,\"full_text\":%q}}\n", m.ID, z.text(60))
	}
	_, err = once([]string{b.techo, "call", "--batch", "--store", store, "--user", "bench"}, calls.Bytes())
	return ids, err
}

// times are when the files of a folder were written.
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

// onlyThose lists files that were written although their memory was not edited,
// and files of edited memories that were not written.
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
	fmt.Printf("\nOf %d edited memories %d files were written, of others %d.\n", len(ids), written, len(others))
	if written != len(ids) || len(others) > 0 || len(after) != len(before) {
		return fmt.Errorf("not only those that were edited were written: %d of %d, and %v", written, len(ids), others)
	}
	return nil
}
