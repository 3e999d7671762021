package tables

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// start measures the cost of one process above the smallest Go program.
func start(b *bench) error {
	rounds, store := sized(200), b.store("start")
	if _, err := once(b.add(store, "ramen"), nil); err != nil {
		return err
	}
	got, err := race(rounds,
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
	table(fmt.Sprintf("One process, medians of %d", rounds), rows...)
	return nil
}

// small measures a search in one small file, which is almost only the start of a
// process.
func small(b *bench) error {
	rgs := ripgreps()
	if len(rgs) == 0 {
		fmt.Println("\nripgrep is not installed: left out")
		return nil
	}
	file, rounds := filepath.Join(b.dir, "small.txt"), sized(300)
	text := strings.Repeat("Tanaka likes ramen\n", 20) + "above all miso\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	all := []contender{{"techo", always(b.techo, "grep", "miso", file)}, {"hello", always(b.hello)}}
	for _, rg := range rgs {
		all = append(all, contender{rg, always(rg, "-n", "miso", file)})
	}
	got, err := race(rounds, all...)
	if err != nil {
		return err
	}
	mine := got["techo"]
	rows := [][]string{{"process", "wall", "CPU", "techo's wall ratio", "CPU ratio", "at most"},
		{"techo", ms(median(mine, wall)), ms(median(mine, cpu)), "1", "1", ""},
		{"hello", ms(median(got["hello"], wall)), ms(median(got["hello"], cpu)), "", "", ""}}
	for _, rg := range rgs {
		most := ""
		if strings.HasPrefix(release(rg), "ripgrep 13.") {
			most = "1.5 ×"
		}
		rows = append(rows, []string{release(rg), ms(median(got[rg], wall)), ms(median(got[rg], cpu)),
			ratio(median(mine, wall), median(got[rg], wall)), ratio(median(mine, cpu), median(got[rg], cpu)), most})
	}
	table(fmt.Sprintf("`grep` in one small file, whole processes, medians of %d", rounds), rows...)
	return nil
}

// flat compares the costs of the 10,000th and of the 100th write. A store
// with 9,880 memos and a new one get 240 more by turns, by one process each.
func flat(b *bench) error {
	before, window := sized(10_000)-sized(120), sized(240)
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
	names := []string{fmt.Sprint("1 to ", window), fmt.Sprintf("%d to %d", before+1, before+window)}
	got, err := race(window,
		contender{names[0], func(i int) []string { return b.add(fresh, fmt.Sprint("n", i)) }},
		contender{names[1], func(i int) []string { return b.add(old, fmt.Sprint("n", before+i)) }},
	)
	if err != nil {
		return err
	}
	rows := [][]string{{"calls", "wall p50", "p99", "CPU p50", "CPU mean", "wall ratio", "CPU ratio",
		"CPU ratio of means"}}
	first := got[names[0]]
	for _, name := range names {
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

// files counts the files in a folder and those below it.
func files(dir string) (n int) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}
