package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// calls makes a batch that adds memos.
func calls(from, to int) []byte {
	var b bytes.Buffer
	for i := from; i < to; i++ {
		fmt.Fprintf(
			&b, `{"tool":"add_memo","input":{"name":"n%d","content":"Tanaka likes ramen, above all miso",`+
				`"priority":%d},"id":%d}`+"\n", i, 1+i%5, i)
	}
	return b.Bytes()
}

// batch measures 10,000 adds in one process beside one process each.
func batch(b *bench) error {
	const n = 10_000
	one, err := race(300, contender{"add",
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
	each, all := median(one["add"], wall), median(runs, wall)/n
	table(fmt.Sprintf("`call --batch` of %d adds", n),
		[]string{"", "a memo", "faster"},
		[]string{"one process each", ms(each), "1"},
		[]string{"one batch", fmt.Sprintf("%.1f µs", float64(all)/1e3), ratio(each, all) + " (at least 20 ×)"})
	return nil
}

// crowd runs many writers at once, with readers among them, and counts what
// is lost.
func crowd(b *bench) error {
	const writers, writes, readers = 64, 100, 8
	store := b.store("crowd")
	if _, err := once(b.add(store, "first"), nil); err != nil {
		return err
	}
	var mu sync.Mutex
	var all, reads []sample
	var failed []error
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for i := range writes {
				s, err := once(b.add(store, fmt.Sprintf("w%d-%d", w, i)), nil)
				mu.Lock()
				all = append(all, s)
				if err != nil {
					failed = append(failed, err)
				}
				mu.Unlock()
			}
		})
	}
	stop := make(chan struct{})
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(rand.IntN(20)) * time.Millisecond):
				}
				s, err := once([]string{b.techo, "memo", "list", "--store", store}, nil)
				mu.Lock()
				reads = append(reads, s)
				if err != nil {
					failed = append(failed, err)
				}
				mu.Unlock()
			}
		})
	}
	began := time.Now()
	wait.Wait()
	took := time.Since(began)
	close(stop)
	reading.Wait()
	kept, err := count(b, store)
	if err != nil {
		return err
	}
	table(fmt.Sprintf("%d processes × %d writes at once, %d readers among them", writers, writes, readers),
		[]string{"", "p50", "p99", "max"},
		[]string{"write", ms(median(all, wall)), ms(quantile(all, wall, 0.99)), ms(quantile(all, wall, 1))},
		[]string{"read", ms(median(reads, wall)), ms(quantile(reads, wall, 0.99)), ms(quantile(reads, wall, 1))})
	fmt.Printf("\n%d of %d writes kept, %d errors, %.1f s in all.\n", kept-1, writers*writes, len(failed),
		took.Seconds())
	for _, err := range failed {
		fmt.Println("-", err)
	}
	return nil
}

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

// scale measures whether a list costs the same however many memos there are.
func scale(b *bench) error {
	small, large := b.store("100"), b.store("100000")
	for store, n := range map[string]int{small: 100, large: 100_000} {
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
	got, err := race(100, contenders...)
	if err != nil {
		return err
	}
	rows := [][]string{{"command", "100 memos", "100,000 memos", "wall ratio", "CPU ratio"}}
	for name := range commands {
		s, l := got[name+small], got[name+large]
		rows = append(rows, []string{name, ms(median(s, wall)), ms(median(l, wall)),
			ratio(median(l, wall), median(s, wall)), ratio(median(l, cpu), median(s, cpu))})
	}
	table("However many memos there are, medians of 100", rows...)
	return nil
}
