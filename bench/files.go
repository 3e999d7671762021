package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// scanned are the patterns of the full scan: common, rare, any case, some
// words, a word boundary, classes, no letter at all, Japanese.
var scanned = []string{
	"return nil", "kmem_cache_alloc_bulk", "(?i)deprecated", "mutex_lock|spin_lock_irqsave|RLock|atomic_inc",
	`\bfunc \w+\(`, "[A-Z]{3,}_[A-Z]+", `\w{5}\s+\w{5}\s+\w{5}`, "カーネル",
}

// peers finds ripgrep and fd: on the path, and ripgrep also where
// TECHO_BENCH_RG says (paths with colons between).
func peers() (rgs, fds []string) {
	for _, name := range append(strings.Split(os.Getenv("TECHO_BENCH_RG"), ":"), "rg") {
		if path, err := exec.LookPath(name); err == nil {
			rgs = append(rgs, path)
		}
	}
	for _, name := range []string{"fd", "fdfind"} {
		if path, err := exec.LookPath(name); err == nil {
			fds = append(fds, path)
		}
	}
	return rgs, fds
}

// release is a program's first line about itself.
func release(path string) string {
	out, _ := output(path, "--version")
	line, _, _ := strings.Cut(string(out), "\n")
	line, _, _ = strings.Cut(line, " (")
	return line
}

// bigTree is where TECHO_BENCH_TREE says, else the sources of Go five times.
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

// search measures grep and glob beside ripgrep and fd.
func search(b *bench) error {
	rgs, fds := peers()
	if len(rgs) == 0 || len(fds) == 0 {
		fmt.Println("\nripgrep or fd is not installed: left out")
		return nil
	}
	dir, err := b.bigTree()
	if err != nil {
		return err
	}
	for _, part := range []func(*bench, string, []string, []string) error{scan, firstFifty, names, small} {
		if err := part(b, dir, rgs, fds); err != nil {
			return err
		}
	}
	return nil
}

// scan measures a search through the whole tree that counts all lines.
func scan(b *bench, dir string, rgs, _ []string) error {
	rows := [][]string{{"pattern", "techo CPU", "wall"}}
	for _, rg := range rgs {
		rows[0] = append(rows[0], release(rg)+" CPU", "wall", "CPU ratio")
	}
	rows[0] = append(rows[0], "at most")
	sums, most := make([]float64, len(rgs)), int64(0)
	for _, p := range scanned {
		all := []contender{{"techo", always(b.techo, "grep", p, dir, "--count")}}
		for _, rg := range rgs {
			args := []string{rg, "-c", p, dir}
			if strings.Contains(p, `\`) {
				args = append(args, "--no-unicode") // as RE2 reads \w and \b
			}
			all = append(all, contender{rg, always(args...)})
		}
		got, err := race(7, all...)
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
		rows = append(rows, append(row, "0.90 ×"))
		for _, s := range got["techo"] {
			most = max(most, s.memory)
		}
	}
	mean := []string{"geometric mean", "", ""}
	for _, sum := range sums {
		mean = append(mean, "", "", fmt.Sprintf("%.2f ×", math.Exp(sum/float64(len(scanned)))))
	}
	files, err := output(b.techo, "fs", "glob", "**", dir, "--limit", "1", "--fields", "total")
	if err != nil {
		return err
	}
	table(fmt.Sprintf("`grep --count` beside `rg -c`, the whole tree (%s), medians of 7",
		strings.TrimSpace(string(files))), append(rows, append(mean, "0.75 ×"))...)
	return widest(b, dir, most)
}

// widest prints the memory of the patterns before, and of what takes most: the
// longest answers.
func widest(b *bench, dir string, most int64) error {
	if most == 0 {
		return nil // not known here
	}
	fmt.Printf("\nMemory of techo: %.1f MB at most (limit 60).\n\n", float64(most)/1e6)
	for _, args := range [][]string{{"grep", "e", dir, "--count"}, {"grep", "e", dir, "--count", "--multiline"},
		{"grep", "e", dir, "--max-results", "1000", "--context", "20"},
		{"fs", "glob", "**", dir, "--limit", "100000"}} {
		got, err := race(3, contender{"techo", always(append([]string{b.techo}, args...)...)})
		if err != nil {
			return err
		}
		most = 0
		for _, s := range got["techo"] {
			most = max(most, s.memory)
		}
		fmt.Printf("- `%s`: %.1f MB\n", strings.ReplaceAll(strings.Join(args, " "), dir, "TREE"), float64(most)/1e6)
	}
	return nil
}

// firstFifty measures how soon the first results in path order are there.
func firstFifty(b *bench, dir string, rgs, _ []string) error {
	rows := [][]string{{"pattern", "techo", "`rg --sort path \\| head -50`", "ratio", "at most"}}
	for _, p := range scanned {
		flags := ""
		if strings.Contains(p, `\`) {
			flags = "--no-unicode"
		}
		line := fmt.Sprintf("%s %s --sort path -n '%s' %s | head -50 >/dev/null", rgs[0], flags, p, dir)
		got, err := race(7,
			contender{"techo", always("sh", "-c", fmt.Sprintf("%s grep '%s' %s | cat >/dev/null", b.techo, p, dir))},
			contender{"rg", always("sh", "-c", line)})
		if err != nil {
			return err
		}
		rows = append(rows, []string{"`" + strings.ReplaceAll(p, "|", "\\|") + "`", ms(median(got["techo"], wall)),
			ms(median(got["rg"], wall)),
			ratio(median(got["techo"], wall), median(got["rg"], wall)), "1.00 ×"})
	}
	table("The first 50 in path order, wall, medians of 7", rows...)
	return nil
}

// names measures the search for names.
func names(b *bench, dir string, rgs, fds []string) error {
	rows := [][]string{{"pattern", "techo CPU", "wall", release(fds[0]) + " CPU", "wall", "CPU ratio", "wall ratio",
		"at most", "`rg --files -g` CPU"}}
	for _, p := range []string{"*.go", "test_*.py", "*.c"} {
		got, err := race(9,
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
	table("`fs glob` beside fd, medians of 9", rows...)
	return nil
}

// small measures the search in one small file: what a process costs.
func small(b *bench, _ string, rgs, _ []string) error {
	file := filepath.Join(b.dir, "small.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("Tanaka likes ramen\n", 20)+"above all miso\n"),
		0o644); err != nil {
		return err
	}
	all := []contender{{"techo", always(b.techo, "grep", "miso", file)}, {"hello", always(b.hello)}}
	for _, rg := range rgs {
		all = append(all, contender{rg, always(rg, "-n", "miso", file)})
	}
	got, err := race(200, all...)
	if err != nil {
		return err
	}
	mine := got["techo"]
	rows := [][]string{{"process", "wall", "CPU", "techo's wall ratio", "CPU ratio", "at most"},
		{"techo", ms(median(mine, wall)), ms(median(mine, cpu)), "1", "1", ""},
		{"hello", ms(median(got["hello"], wall)), ms(median(got["hello"], cpu)), "", "", ""}}
	for _, rg := range rgs {
		rows = append(rows, []string{release(rg), ms(median(got[rg], wall)), ms(median(got[rg], cpu)),
			ratio(median(mine, wall), median(got[rg], wall)), ratio(median(mine, cpu), median(got[rg], cpu)), "1.30 ×"})
	}
	table("One small file, whole processes, medians of 200", rows...)
	return nil
}

// foundNothing reports whether a process that failed only found nothing, which
// ripgrep and fd say with exit code 1.
func foundNothing(args []string, err error) bool {
	var exit *exec.ExitError
	name := filepath.Base(args[0])
	return errors.As(err, &exit) && exit.ExitCode() == 1 && (name == "rg" || name == "fd" || name == "fdfind")
}
