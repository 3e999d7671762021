package page

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestModules finds each name that a module of the page imports among the exports of the other one. A
// browser shows nothing where one is missing.
func TestModules(t *testing.T) {
	imported := regexp.MustCompile(`(?s)import \{([^}]*)\} from "([^"]+)";`)
	declared := regexp.MustCompile(`(?m)^export (?:async )?(?:function|const|let|class) (\w+)`)
	listed := regexp.MustCompile(`(?m)^export \{([^}]*)\}`)
	exports := func(name string) map[string]bool {
		b, err := content(name)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]bool{}
		for _, m := range declared.FindAllSubmatch(b, -1) {
			all[string(m[1])] = true
		}
		for _, m := range listed.FindAllSubmatch(b, -1) {
			for one := range strings.SplitSeq(string(m[1]), ",") {
				words := strings.Fields(one)
				if len(words) > 0 {
					all[words[len(words)-1]] = true // name, or name as other
				}
			}
		}
		return all
	}
	checked := 0
	err := fs.WalkDir(files, "static/app", func(name string, e fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".js" {
			return err
		}
		name = strings.TrimPrefix(name, "static/")
		source, err := content(name)
		if err != nil {
			return err
		}
		for _, m := range imported.FindAllStringSubmatch(string(source), -1) {
			from := path.Join(path.Dir(name), m[2])
			there := exports(from)
			for one := range strings.SplitSeq(m[1], ",") {
				if words := strings.Fields(one); len(words) > 0 {
					if checked++; !there[words[0]] {
						t.Errorf("%s imports %s, which %s does not export", name, words[0], from)
					}
				}
			}
		}
		return nil
	})
	if err != nil || checked < 100 {
		t.Errorf("%d imports: %v", checked, err)
	}
}
