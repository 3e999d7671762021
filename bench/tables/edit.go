package tables

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// edit compares fs edit with sed -i, which does not check that the text occurs
// once, does not sync and keeps no undo, and fs read with cat.
func edit(b *bench) error {
	if _, err := exec.LookPath("sed"); err != nil {
		fmt.Println("\nsed is not installed: left out")
		return nil
	}
	rounds := sized(200)
	rows := [][]string{{"process", "file", "wall p50", "p99", "CPU p50", "wall ratio", "CPU ratio"}}
	for _, size := range []int{2 << 10, 1 << 20} {
		text := strings.Repeat("another line of a file of source code\n", size/76)
		text += "value = 0;\n" + text
		path := func(name string) string { return filepath.Join(b.dir, fmt.Sprint(name, size)) }
		for _, name := range []string{"sed", "techo", "alone"} {
			if err := os.WriteFile(path(name), []byte(text), 0o644); err != nil {
				return err
			}
		}
		change := func(name, store string) func(int) []string {
			return func(i int) []string {
				return []string{b.techo, "fs", "edit", path(name), fmt.Sprintf("value = %d;", i),
					fmt.Sprintf("value = %d;", i+1), "--store", store}
			}
		}
		got, err := race(rounds,
			contender{"sed -i", func(i int) []string {
				return []string{"sed", "-i", fmt.Sprintf("s/value = %d;/value = %d;/", i, i+1), path("sed")}
			}},
			contender{"fs edit", change("techo", b.store("edit"))},
			contender{"fs edit, no store", change("alone", path("alone"))},
			contender{"cat", always("cat", path("sed"))},
			contender{"fs read", always(b.techo, "fs", "read", path("techo"))},
		)
		if err != nil {
			return err
		}
		for _, pair := range [][]string{{"sed -i", "sed -i", "fs edit", "fs edit, no store"},
			{"cat", "cat", "fs read"}} {
			peer := got[pair[0]]
			for _, name := range pair[1:] {
				s := got[name]
				rows = append(rows, []string{name, fmt.Sprintf("%d KiB", len(text)>>10), ms(median(s, wall)),
					ms(quantile(s, wall, 0.99)), ms(median(s, cpu)),
					ratio(median(s, wall), median(peer, wall)), ratio(median(s, cpu), median(peer, cpu))})
			}
		}
	}
	table(fmt.Sprintf("One edit, one page, by a process each, medians of %d", rounds), rows...)
	return nil
}
