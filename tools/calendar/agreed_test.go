package calendar

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store"
	"techo/tools"
)

// data reads a file of the shared test data, which lies beside the repository
// or where TECHO_TEST_DATA says.
func data(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dataDir(), name))
	if err != nil {
		t.Skipf("the test data is not here: %v", err)
	}
	return b
}

func dataDir() string {
	if dir := os.Getenv("TECHO_TEST_DATA"); dir != "" {
		return filepath.Join(dir, "cal")
	}
	return filepath.Join("..", "..", "..", "shared", "data", "cal")
}

func openStore(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(filepath.Join(t.TempDir(), "store"), store.Options{Write: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// importICS takes a file into the default calendar.
func importICS(t testing.TB, env *tools.Env, st *store.Store, data []byte) (total store.Imported, read Read) {
	t.Helper()
	read, err := ReadICS(env, data, "", func(all []store.Event) error {
		n, err := st.ImportEvents(t.Context(), store.DefaultCalendar, all)
		total.Add(n)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total, read
}

// TestAgreed compares with the occurrences on which two other programs agree.
func TestAgreed(t *testing.T) {
	type row struct {
		File                 string
		Inner_from, Inner_to string
		Occ                  [][4]string
	}
	byFile := map[string][]row{}
	var order []string
	s := bufio.NewScanner(bytes.NewReader(data(t, "expand_agreed.jsonl")))
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if byFile[r.File] == nil {
			order = append(order, r.File)
		}
		byFile[r.File] = append(byFile[r.File], r)
	}
	env := &tools.Env{Zone: time.UTC, Now: time.Now}
	rows, wrong := 0, 0
	for _, file := range order {
		st := openStore(t)
		importICS(t, env, st, data(t, "ics/"+file))
		for _, r := range byFile[file] {
			rows++
			from, _ := time.Parse("20060102", r.Inner_from)
			to, _ := time.Parse("20060102", r.Inner_to)
			found, err := st.FindEvents(t.Context(), store.EventQuery{From: from, To: to, Zone: time.UTC})
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			in := func(start string) bool {
				s := strings.TrimPrefix(start, "F")[:8]
				return s >= r.Inner_from && s < r.Inner_to
			}
			for _, o := range found.Occurrences {
				if k := form(o); in(k[1]) {
					got = append(got, strings.Join(k[:], "|"))
				}
			}
			for _, o := range r.Occ {
				if in(o[1]) {
					want = append(want, strings.Join(o[:], "|"))
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				wrong++
				if wrong < 40 {
					t.Logf("%s %s..%s:\n%s", file, r.Inner_from, r.Inner_to, difference(got, want))
				}
			}
		}
		st.Close()
	}
	t.Logf("%d of %d rows differ", wrong, rows)
	if wrong*100 > rows {
		t.Error("more than 1 %")
	}
}

func form(o store.Occurrence) [4]string {
	layout := map[store.EventForm]string{store.AllDay: "20060102", store.Floating: "F20060102T150405", store.Timed: "20060102T150405Z"}[o.Form]
	return [4]string{publicUID(o.Event), o.From.UTC().Format(layout), o.To.UTC().Format(layout), o.Title}
}

func difference(got, want []string) string {
	var b strings.Builder
	n := 0
	for _, s := range got {
		if !slices.Contains(want, s) && n < 4 {
			n++
			fmt.Fprintf(&b, "  got  %s\n", s)
		}
	}
	n = 0
	for _, s := range want {
		if !slices.Contains(got, s) && n < 4 {
			n++
			fmt.Fprintf(&b, "  want %s\n", s)
		}
	}
	return fmt.Sprintf("%d got, %d wanted\n", len(got), len(want)) + b.String()
}

// files are the .ics files of the shared data.
func files(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dataDir(), func(path string, d os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".ics" {
			path, err = filepath.Rel(dataDir(), path)
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Skipf("the test data is not here: %v", err)
	}
	return paths
}
