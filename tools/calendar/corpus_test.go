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

	"techo/internal/testenv"
	"techo/store"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/calendartest"
	"techo/tools/calendar/ics"
)

var (
	openStore = calendartest.Store
	envAt     = calendartest.Env
	importICS = calendartest.Import
)

// agreedRow has the occurrences of a file between two days.
type agreedRow struct {
	File string
	From string      `json:"inner_from"`
	To   string      `json:"inner_to"`
	Occ  [][4]string // UID, start, end, title
}

// contains reports whether a start is between the days of the row.
func (r agreedRow) contains(start string) bool {
	s := strings.TrimPrefix(start, "F")[:8]
	return s >= r.From && s < r.To
}

// readAgreed reads the rows of each file, and the files in order.
func readAgreed(t *testing.T) (byFile map[string][]agreedRow, order []string) {
	t.Helper()
	byFile = map[string][]agreedRow{}
	s := bufio.NewScanner(bytes.NewReader(testenv.ReadData(t, "cal", "expand_agreed.jsonl")))
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var r agreedRow
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if byFile[r.File] == nil {
			order = append(order, r.File)
		}
		byFile[r.File] = append(byFile[r.File], r)
	}
	return byFile, order
}

// compare returns the expected occurrences of a row and those in the store.
func (r agreedRow) compare(t *testing.T, st *store.Store) (got, want []string) {
	t.Helper()
	from, _ := time.Parse("20060102", r.From)
	to, _ := time.Parse("20060102", r.To)
	found, err := st.FindEvents(t.Context(), event.Query{From: from, To: to, Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range found.Occurrences {
		if k := form(o); r.contains(k[1]) {
			got = append(got, strings.Join(k[:], "|"))
		}
	}
	for _, o := range r.Occ {
		if r.contains(o[1]) {
			want = append(want, strings.Join(o[:], "|"))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	return got, want
}

// TestAgreed compares with occurrences on which two other programs agree.
func TestAgreed(t *testing.T) {
	byFile, order := readAgreed(t)
	env := &tools.Env{Zone: time.UTC, Now: time.Now}
	rows, wrong := 0, 0
	for _, file := range order {
		st := openStore(t)
		importICS(t, env, st, testenv.ReadData(t, "cal", "ics/"+file))
		for _, r := range byFile[file] {
			rows++
			if got, want := r.compare(t, st); !slices.Equal(got, want) {
				if wrong++; wrong < 40 {
					t.Logf("%s %s..%s:\n%s", file, r.From, r.To, difference(got, want))
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

func form(o event.Occurrence) [4]string {
	layout := map[event.Form]string{event.AllDay: "20060102", event.Floating: "F20060102T150405",
		event.Timed: "20060102T150405Z"}[o.Form]
	return [4]string{ics.PublicUID(o.Event), o.From.UTC().Format(layout), o.To.UTC().Format(layout), o.Title}
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

// files returns the .ics files of the shared data.
func files(t *testing.T) (paths []string) {
	t.Helper()
	folder := testenv.Data(t, "cal")
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".ics" {
			path, err = filepath.Rel(folder, path)
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// runTool calls the function of a tool.
func runTool[In, Out any](t *testing.T, tool *tools.Tool, env *tools.Env, in In) (Out, error) {
	t.Helper()
	return tool.Run.(tools.Func[In, Out])(t.Context(), env, in)
}

// TestFiles imports every file of the shared data twice, where the second import
// must change nothing, and lists its events.
func TestFiles(t *testing.T) {
	for _, path := range files(t) {
		b := testenv.ReadData(t, "cal", path)
		st := openStore(t)
		env := envAt(t, st, "Asia/Tokyo", "2026-01-05T00:00:00Z")
		began := time.Now()
		n, _ := importICS(t, env, st, b)
		again, _ := importICS(t, env, st, b)
		if again.Added+again.Changed > 0 {
			t.Errorf("%s: importing twice: %+v, then %+v", path, n, again)
		}
		for _, days := range [][2]string{{"2026-01-01", "2026-12-31"}, {"1990-01-01", "2030-12-31"}} {
			if _, err := listEvents(t.Context(), env,
				ListIn{DateFrom: days[0], DateTo: days[1], Limit: 250}); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		if took := time.Since(began); took > hostileTimeout {
			t.Errorf("%s: took %v", path, took)
		}
		if _, err := st.Verify(t.Context(), store.VerifyOptions{}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		st.Close()
	}
}
