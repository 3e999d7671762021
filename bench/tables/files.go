package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// scanned are the patterns of the full scan: common, rare, case-insensitive, an
// alternation, a word boundary, character classes, no literal at all, Japanese.
var scanned = []string{
	"return nil", "kmem_cache_alloc_bulk", "(?i)deprecated", "mutex_lock|spin_lock_irqsave|RLock|atomic_inc",
	`\bfunc \w+\(`, "[A-Z]{3,}_[A-Z]+", `\w{5}\s+\w{5}\s+\w{5}`, "カーネル",
}

// ripgreps returns the ripgrep programs of TECHO_BENCH_RG and of the path.
func ripgreps() (rgs []string) {
	for _, name := range append(filepath.SplitList(os.Getenv("TECHO_BENCH_RG")), "rg") {
		if path, err := exec.LookPath(name); err == nil {
			rgs = append(rgs, path)
		}
	}
	return rgs
}

// fds returns the programs of fd, which Debian calls fdfind.
func fds() (fds []string) {
	for _, name := range []string{"fd", "fdfind"} {
		if path, err := exec.LookPath(name); err == nil {
			fds = append(fds, path)
		}
	}
	return fds
}

// release returns the name and version that a program prints.
func release(path string) string {
	out, _ := output(path, "--version")
	line, _, _ := strings.Cut(string(out), "\n")
	line, _, _ = strings.Cut(line, " (")
	return line
}

// bigTree returns the folder of TECHO_BENCH_TREE, or creates five copies of the
// sources of Go.
func (b *bench) bigTree() (string, error) {
	if dir := os.Getenv("TECHO_BENCH_TREE"); dir != "" {
		return filepath.Abs(dir)
	}
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.dir, "tree")
	for i := range 5 {
		if err := os.CopyFS(filepath.Join(dir, fmt.Sprint("go", i)),
			os.DirFS(strings.TrimSpace(string(root)))); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	return dir, exec.Command("git", "init", "-q", dir).Run()
}

// search compares grep and glob with ripgrep and fd.
func search(b *bench) error { return b.compare(scan, widest, firstFifty, names) }

// scans is the part of search with the ratios to ripgrep. A run without names leaves it
// out, because search includes it.
func scans(b *bench) error {
	if !slices.Contains(os.Args[1:], "scan") {
		return nil
	}
	return b.compare(scan, firstFifty)
}

// compare runs comparisons with ripgrep and fd in one tree.
func (b *bench) compare(parts ...func(*bench, string, []string, []string) error) error {
	rgs, fds := ripgreps(), fds()
	if len(rgs) == 0 {
		fmt.Println("\nripgrep is not installed: left out")
		return nil
	}
	dir, err := b.bigTree()
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := part(b, dir, rgs, fds); err != nil {
			return err
		}
	}
	return nil
}

// scan measures searches of the whole tree that count all lines.
func scan(b *bench, dir string, rgs, _ []string) error {
	rounds := sized(7)
	rows := [][]string{{"pattern", "techo CPU", "wall"}}
	for _, rg := range rgs {
		rows[0] = append(rows[0], release(rg)+" CPU", "wall", "CPU ratio")
	}
	rows[0] = append(rows[0], "at most")
	sums, most := make([]float64, len(rgs)), int64(0)
	for _, p := range scanned {
		got, err := b.scanOne(p, dir, rgs, rounds)
		if err != nil {
			return err
		}
		mine := median(got["techo"], cpu)
		row := []string{"`" + strings.ReplaceAll(p, "|", "\\|") + "`", ms(mine), ms(median(got["techo"], wall))}
		for i, rg := range rgs {
			peer := median(got[rg], cpu)
			row = append(row, ms(peer), ms(median(got[rg], wall)), ratio(mine, peer))
			sums[i] += math.Log(float64(mine) / float64(peer))
		}
		rows = append(rows, append(row, "0.80 ×"))
		most = max(most, peak(got["techo"]))
	}
	mean := []string{"geometric mean", "", ""}
	for _, sum := range sums {
		mean = append(mean, "", "", fmt.Sprintf("%.2f ×", math.Exp(sum/float64(len(scanned)))))
	}
	files, err := b.total(dir)
	if err != nil {
		return err
	}
	table(fmt.Sprintf("`grep --count` beside `rg -c`, the whole tree (%d files), medians of %d", files, rounds),
		append(rows, append(mean, "0.65 ×"))...)
	b.peak = most
	return nil
}

// scanOne runs techo and each ripgrep with one pattern.
func (b *bench) scanOne(pattern, dir string, rgs []string, rounds int) (map[string][]sample, error) {
	all := []contender{{"techo", always(b.techo, "grep", pattern, dir, "--count")}}
	for _, rg := range rgs {
		all = append(all, contender{rg, always(rg, "-c", pattern, dir)})
	}
	return race(rounds, all...)
}

// total returns the number of files in a folder that a search reads.
func (b *bench) total(dir string) (int, error) {
	out, err := output(b.techo, "fs", "glob", "**", dir, "--limit", "1", "--fields", "total")
	if err != nil {
		return 0, err
	}
	var found struct{ Total int }
	return found.Total, json.Unmarshal(out, &found)
}

// widest prints the peak memory of the scans and of the longest answers, which take
// most.
func widest(b *bench, dir string, _, _ []string) error {
	if b.peak == 0 {
		return nil // unknown on this system
	}
	fmt.Printf("\nMemory of techo: %.1f MB at most (limit 60).\n\n", float64(b.peak)/1e6)
	for _, args := range [][]string{{"grep", "e", dir, "--count"}, {"grep", "e", dir, "--count", "--multiline"},
		{"grep", "e", dir, "--max-results", "1000", "--context", "20"},
		{"fs", "glob", "**", dir, "--limit", "100000"}} {
		got, err := race(3, contender{"techo", always(append([]string{b.techo}, args...)...)})
		if err != nil {
			return err
		}
		fmt.Printf("- `%s`: %.1f MB\n", strings.ReplaceAll(strings.Join(args, " "), dir, "TREE"),
			float64(peak(got["techo"]))/1e6)
	}
	return nil
}

// firstFifty measures the time to the first results in path order.
func firstFifty(b *bench, dir string, rgs, _ []string) error {
	rounds, within := sized(7), 0
	rows := [][]string{{"pattern", "techo", "`rg --sort path \\| head -50`", "ratio", "at most"}}
	for _, p := range scanned {
		line := fmt.Sprintf("%s --sort path -n '%s' %s | head -50 >/dev/null", rgs[0], p, dir)
		got, err := race(rounds,
			contender{"techo", always("sh", "-c", fmt.Sprintf("%s grep '%s' %s | cat >/dev/null", b.techo, p, dir))},
			contender{"rg", always("sh", "-c", line)})
		if err != nil {
			return err
		}
		mine, peer := median(got["techo"], wall), median(got["rg"], wall)
		rows = append(rows, []string{"`" + strings.ReplaceAll(p, "|", "\\|") + "`", ms(mine), ms(peer),
			ratio(mine, peer), "1.00 ×"})
		if mine <= peer {
			within++
		}
	}
	table(fmt.Sprintf("The first 50 in path order, wall, medians of %d", rounds), rows...)
	fmt.Printf("\nAt most 1.00 × for %d of %d patterns (at least 6).\n", within, len(scanned))
	return nil
}

// names measures searches for file names.
func names(b *bench, dir string, rgs, fds []string) error {
	if len(fds) == 0 {
		fmt.Println("\nfd is not installed: left out")
		return nil
	}
	rounds := sized(9)
	rows := [][]string{{"pattern", "techo CPU", "wall", release(fds[0]) + " CPU", "wall", "CPU ratio", "wall ratio",
		"at most", "`rg --files -g` CPU"}}
	for _, p := range []string{"*.go", "test_*.py", "*.c"} {
		got, err := race(rounds,
			contender{"techo", always(b.techo, "fs", "glob", "**/"+p, dir)},
			contender{"fd", always(fds[0], "-t", "f", "-g", p, dir)},
			contender{"rg", always(rgs[0], "--files", "-g", p, dir)})
		if err != nil {
			return err
		}
		rows = append(rows, []string{"`**/" + p + "`", ms(median(got["techo"], cpu)), ms(median(got["techo"], wall)),
			ms(median(got["fd"], cpu)), ms(median(got["fd"], wall)),
			ratio(median(got["techo"], cpu), median(got["fd"], cpu)),
			ratio(median(got["techo"], wall), median(got["fd"], wall)), "0.80 ×", ms(median(got["rg"], cpu))})
	}
	table(fmt.Sprintf("`fs glob` beside fd, medians of %d", rounds), rows...)
	return nil
}

// foundNothing reports whether ripgrep or fd ended with exit code 1: no match.
func foundNothing(args []string, err error) bool {
	var exit *exec.ExitError
	name := filepath.Base(args[0])
	return errors.As(err, &exit) && exit.ExitCode() == 1 && (name == "rg" || name == "fd" || name == "fdfind")
}
