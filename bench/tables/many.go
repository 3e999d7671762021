package tables

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"
)

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
