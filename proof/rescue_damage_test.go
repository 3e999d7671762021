package proof

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// compare compares the records with the earlier ones and with the report of doctor.
func (h *lived) compare(t *testing.T, c *tally, dir, what string, a answer) {
	t.Helper()
	want, got := h.last(), recordsOf(t, dir)
	states := map[record]string{}
	for id, as := range want {
		switch now, there := got[id]; {
		case !there:
			states[id] = "lost"
		case now != as:
			states[id] = "rolled_back"
		}
	}
	for id, as := range got {
		if _, there := want[id]; !there {
			states[id] = "resurrected"
		}
		if !h.had(id, as) {
			t.Errorf("%s: %s was never %s", what, id, as)
		}
	}
	named := map[record]string{}
	changes, _ := a.Doc["changes"].([]any)
	for _, change := range changes {
		m := change.(map[string]any)
		id := record(fmt.Sprint(m["kind"], " ", m["id"]))
		if m["id"] == nil { // of a memo only the name is known
			for of, as := range want {
				if strings.HasPrefix(string(of), "memo ") && strings.Contains(as, fmt.Sprintf(`"name":%q`, m["name"])) {
					id = of
				}
			}
		}
		named[id] = m["state"].(string)
		if kind, _, _ := strings.Cut(string(id), " "); m["certain"] == true && states[id] == "" && kind != "calendar" {
			t.Errorf("%s: %s is as it was, and is named as %v", what, id, m)
		}
	}
	left, _ := a.Doc["changes_left_out"].(float64)
	unnamed, _ := a.Doc["unnamed"].(float64)
	for id, state := range states {
		c.count(state)
		if named[id] != state && left == 0 {
			if unnamed > 0 && h.bare {
				c.count("not named")
				continue
			}
			t.Errorf("%s: %s is %s, named %q\n%s", what, id, state, named[id], a.Out)
		}
	}
	if left > 0 && int(left)+len(changes) < len(states) {
		t.Errorf("%s: %d changed, %d named, %v left out", what, len(states), len(changes), left)
	}
	if complete := a.Doc["complete"] == true; complete && len(states) > 0 {
		t.Errorf("%s: called complete, and %d have changed", what, len(states))
	}
	if unnamed > 0 && !h.bare {
		t.Errorf("%s: %v places are not named: %s", what, unnamed, a.Out)
	}
}

func folderBytes(t *testing.T, dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "lock" || d.Name() == "queue" {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", strings.TrimPrefix(path, dir), data)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return b.String()
}
