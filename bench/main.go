// Bench compares techo with other programs and prints the tables of
// docs/benchmarks.md:
//
//	go -C bench run .                  all tables
//	go -C bench run . start flat       these tables only
//	go -C bench run . retrieval FILE.json… [FILE.tsv…]
//	go -C bench run . rank             the ranking of memories on all sets of questions
//	go -C bench run . fit              the weights of ranking, fitted to some of them
//
// The environment selects more:
//
//	TECHO_BENCH_DATA      for rank and fit: a folder with LoCoMo and JaQuAD in retrieval, and meaning
//	TECHO_BENCH_LOCOMO    for rank and fit: a file with all conversations of LoCoMo
//	TECHO_BENCH_REALMEM   for rank and fit: a folder with the dialogues of RealMem
//	TECHO_BENCH_DIVISOR   divides the number of rounds and records, for a trial run
//	TECHO_BENCH_MEMORIES  the number of memories, instead of 1,000,000 or 100,000; one more for "growth"
//	TECHO_BENCH_OLD       a checkout of an earlier version, for the table "calendar"
//	TECHO_BENCH_RG        further ripgrep programs, separated as in PATH
//	TECHO_BENCH_TREE      the folder to search, instead of five copies of Go's sources
//
// Processes are measured from outside and by turns, so that other load on the
// machine affects all of them alike. Compare ratios of medians, not times.
package main

import (
	"fmt"
	"os"

	"techo/bench/tables"
)

func main() {
	run := func() error { return tables.Print(os.Args[1:]) }
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "rank":
			run = tables.Rank
		case "fit":
			run = tables.Fit
		}
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(1)
	}
}
