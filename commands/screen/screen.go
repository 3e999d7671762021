// Package screen lays out lists for a person's terminal: as tables with short ids, with days in
// words, and with a little colour. It reads only the document and the text of a result, so it
// serves a store on a server too.
package screen

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"techo/commands/system"
	"techo/internal/columns"
	"techo/internal/lazyregexp"
	"techo/tools"
)

// List returns the text of a result for a terminal with so many columns: its list as a table, with
// what its text says before and after the list. It reports false for a result that has no table and
// for a terminal that is too narrow. The text is then the one of the result; days have short ids.
func List(env *tools.Env, t *tools.Tool, r *tools.Result, width int, color bool) (text string, isTable bool) {
	if t.Name == "list_events" || t.Name == "check_availability" {
		return shortIDs(r.Text), false
	}
	name := cmp.Or(t.Name, t.Command)
	i := slices.IndexFunc(views[:], func(v view) bool { return v.tool == name })
	if i < 0 || width < narrowest {
		return r.Text, false
	}
	of := views[i]
	var document map[string]json.RawMessage
	var records []record
	if json.Unmarshal(r.JSON, &document) != nil || json.Unmarshal(document[of.list], &records) != nil ||
		len(records) == 0 {
		return r.Text, false
	}
	for i, one := range records {
		records[i] = flat(one)
	}
	v := &viewer{env: env, short: shortest(records, of.id)}
	made := &table{rows: [][]cell{v.heads(of)}, rest: of.rest, color: color}
	for _, one := range records {
		made.rows = append(made.rows, of.row(v, one))
	}
	lines := made.lines(width)
	if lines == nil {
		return r.Text, false
	}
	said := r.Text
	if of.bare {
		_ = json.Unmarshal(document["message"], &said)
	}
	head, foot := around(said, width)
	return strings.Join(append(append(head, lines...), foot...), "\n"), true
}

// around returns the first line of a text, with an empty one, and the lines after its list, whose
// items begin with a hyphen and continue with blanks. A second list belongs to these lines.
func around(text string, width int) (head, foot []string) {
	for i, line := range strings.Split(text, "\n") {
		item := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, " ")
		line = system.Visible(line)
		switch {
		case line == "":
		case i == 0:
			head = append(columns.Wrap(line, width), "")
		case !item || len(foot) > 0:
			foot = append(foot, columns.Wrap(line, width)...)
		}
	}
	return head, foot
}

// shortID is the least length of a shown id.
const shortID = 6

// longID is an id that is shown with fewer letters, and the mark of an occurrence.
var longID = lazyregexp.New(`^([0-9a-v]{12})(_[0-9]{8}(?:T[0-9]{6}Z?)?)?$`)

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
			m := longID.Get().FindStringSubmatch(id)
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

func shortened(id string, letters int) string {
	if m := longID.Get().FindStringSubmatch(id); m != nil {
		return m[1][:letters] + m[2]
	}
	return id
}

// shownID is the id at the end of a line of a text, in both languages.
var shownID = lazyregexp.New(`(?m)(\(id: |（ID: )([0-9a-v]{12}(?:_[0-9TZ]+)?)([)）])$`)

// shortIDs returns a text with short ids at the ends of its lines.
func shortIDs(text string) string {
	var ids []string
	for _, m := range shownID.Get().FindAllStringSubmatch(text, -1) {
		ids = append(ids, m[2])
	}
	n := distinct(ids)
	return shownID.Get().ReplaceAllStringFunc(text, func(found string) string {
		m := shownID.Get().FindStringSubmatch(found)
		return m[1] + shortened(m[2], n) + m[3]
	})
}
