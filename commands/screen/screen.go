// Package screen lays out lists for a person's terminal: as tables with short ids, with days in
// words, and with a little colour. It reads only the document and the text of a result, so it
// serves a store on a server too.
package screen

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"techo/tools"
)

// List returns the text of a result for a terminal with so many columns: its list as a table, with
// what its text says before and after the list. It returns "" for a result that has no table, whose
// text gets short ids, and for a terminal that is too narrow.
func List(env *tools.Env, t *tools.Tool, r *tools.Result, width int, color bool) string {
	of, ok := views()[t.Name]
	if !ok && t.Name == "list_events" {
		r.Text = shortIDs(r.Text)
	}
	if !ok || width < narrowest {
		return ""
	}
	var document map[string]json.RawMessage
	var records []record
	if json.Unmarshal(r.JSON, &document) != nil || json.Unmarshal(document[of.list], &records) != nil ||
		len(records) == 0 {
		return ""
	}
	v := &viewer{env: env, short: shortest(records, of.id)}
	made := &table{rows: [][]cell{v.heads(of)}, rest: of.rest, color: color}
	for _, one := range records {
		made.rows = append(made.rows, of.row(v, one))
	}
	lines := made.lines(width)
	if lines == nil {
		return ""
	}
	head, foot := around(r.Text)
	if head != "" {
		head += "\n\n"
	}
	return strings.Join(append([]string{head + lines[0]}, append(lines[1:], foot...)...), "\n")
}

// around returns the first line of a text and the lines after its list, whose items begin with a
// hyphen and continue with blanks.
func around(text string) (head string, foot []string) {
	for i, line := range strings.Split(text, "\n") {
		switch line = oneLine(line); {
		case i == 0:
			head = line
		case line != "" && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, " "):
			foot = append(foot, line)
		}
	}
	return head, foot
}

// shortID is the least length of a shown id.
const shortID = 6

// longID is an id that is shown with fewer letters, and the mark of an occurrence.
var longID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9a-v]{12})(_[0-9]{8}(?:T[0-9]{6}Z?)?)?$`)
})

// shortest returns how many letters of an id tell all listed ones apart.
func shortest(records []record, id string) int {
	var ids []string
	for _, one := range records {
		ids = append(ids, one.text(id))
	}
	return distinct(ids)
}

func distinct(ids []string) int {
	for n := shortID; ; n++ {
		seen, same := map[string]string{}, false
		for _, id := range ids {
			m := longID().FindStringSubmatch(id)
			if m == nil {
				continue
			}
			if other, ok := seen[m[1][:n]]; ok && other != m[1] {
				same = true
			}
			seen[m[1][:n]] = m[1]
		}
		if !same {
			return n
		}
	}
}

// shortened returns an id with so many letters.
func shortened(id string, letters int) string {
	if m := longID().FindStringSubmatch(id); m != nil {
		return m[1][:letters] + m[2]
	}
	return id
}

// shownID is the id at the end of a line of a text, in both languages.
var shownID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(\(id: |（ID: )([0-9a-v]{12}(?:_[0-9TZ]+)?)([)）])$`)
})

// shortIDs returns a text with short ids at the ends of its lines.
func shortIDs(text string) string {
	var ids []string
	for _, m := range shownID().FindAllStringSubmatch(text, -1) {
		ids = append(ids, m[2])
	}
	n := distinct(ids)
	return shownID().ReplaceAllStringFunc(text, func(found string) string {
		m := shownID().FindStringSubmatch(found)
		return m[1] + shortened(m[2], n) + m[3]
	})
}
