package tables

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// writers measures transactions per second of 16 goroutines in one process: of
// techo's engine, a Badger database, and an earlier version of techo.
func writers(b *bench) error {
	now, err := b.build("writers", "./bench/writers")
	if err != nil {
		return err
	}
	programs := [][]string{{"techo", now, "-engine", "techo"}, {"badger.DB, SyncWrites", now, "-engine", "badger"}}
	if checkout := os.Getenv("TECHO_BENCH_OLD"); checkout != "" {
		old, err := b.buildOld(checkout)
		if err != nil {
			return err
		}
		programs = append(programs, []string{"techo, " + checkout, old, "-engine", "techo"})
	}
	const goroutines = 16
	rounds, lasts := sized(7), time.Duration(sized(3000))*time.Millisecond
	rates := map[string][]float64{}
	for round := range rounds {
		for i, p := range programs {
			dir := filepath.Join(b.dir, fmt.Sprintf("writers-%d-%d", round, i))
			out, err := output(append(p[1:len(p):len(p)], "-dir", dir, "-goroutines", fmt.Sprint(goroutines),
				"-time", lasts.String())...)
			if err != nil {
				return fmt.Errorf("%s: %w", p[0], err)
			}
			rate, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			if err != nil {
				return err
			}
			rates[p[0]] = append(rates[p[0]], rate)
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	rows := [][]string{{"engine", "transactions a second", "techo's ratio", "at least"}}
	least := []string{"", "0.90 ×", "1.50 ×"}
	mine := middle(rates["techo"])
	for i, p := range programs {
		rate := middle(rates[p[0]])
		rows = append(rows, []string{p[0], fmt.Sprintf("%.0f", rate), fmt.Sprintf("%.2f ×", mine/rate), least[i]})
	}
	table(fmt.Sprintf("%d goroutines in one process, medians of %d runs of %v", goroutines, rounds, lasts), rows...)
	return nil
}

// middle returns the median.
func middle(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }

// buildOld builds bench/writers with the packages of another checkout, which it
// does not change: the compiler sees the files there through an overlay.
func (b *bench) buildOld(checkout string) (string, error) {
	checkout, err := filepath.Abs(checkout)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, name := range []string{"main.go", "nobadger.go"} {
		place := filepath.Join("bench", "writers", name)
		if replace[filepath.Join(checkout, place)], err = filepath.Abs(place); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return "", err
	}
	return b.build("writers-old", "./bench/writers", "-C", checkout, "-tags", "nobadger", "-overlay", file)
}
