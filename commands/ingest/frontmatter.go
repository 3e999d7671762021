package ingest

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"techo/export"
	"time"
	"unicode"

	"github.com/goccy/go-yaml"
)

// cutFrontMatter splits a note into the YAML between its first line, three dashes,
// and the next line of three dashes or points, and the text below.
func cutFrontMatter(text string) (front, body string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return "", "", false
	}
	var b strings.Builder
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if end := strings.TrimRight(line, " \t"); end == "---" || end == "..." {
			return b.String(), rest, true
		}
		b.WriteString(line + "\n")
	}
	return "", "", false
}

// frontMatter reads the caption and the time in the front matter of a note whose file was changed at a time. dated is
// which of its times the note has.
func frontMatter(l *export.MemoryLine, front string, changed time.Time, zone *time.Location) (dated int) {
	for key, value := range frontFields(front) {
		switch key {
		case "title":
			l.Caption, l.Title = value, strings.Join(strings.Fields(value), " ")
		case "description":
			if l.Caption == "" {
				l.Caption = value
			}
		}
		if what := dateField(key); what > dated {
			if at, ok := readAuthored(value, zone); ok {
				dated, l.CreatedAt = what, at.within(changed).UTC().Format(time.RFC3339Nano)
			}
		}
	}
	l.Caption = strings.Join(strings.Fields(l.Caption), " ")
	return dated
}

// frontFields returns the key, in lower case, and the value of each scalar of front
// matter. If the front matter is not YAML, as in "title: Tea: green", each line
// is read on its own.
func frontFields(front string) iter.Seq2[string, string] {
	return func(use func(key, value string) bool) {
		var fields yaml.MapSlice
		if yaml.Unmarshal([]byte(front), &fields) == nil {
			for _, f := range fields {
				value := f.Value
				for all, ok := value.([]any); ok && len(all) == 1; all, ok = value.([]any) { // [[2026-01-05]] is a link
					value = all[0]
				}
				switch value.(type) {
				case nil, []any, yaml.MapSlice, map[string]any:
					continue
				}
				if !use(strings.ToLower(fmt.Sprint(f.Key)), fmt.Sprint(value)) {
					return
				}
			}
			return
		}
		for line := range strings.SplitSeq(front, "\n") {
			key, value, _ := strings.Cut(line, ":")
			if !use(strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"'`)) {
				return
			}
		}
	}
}

// fieldsOf returns the fields of front matter, and none if it is not YAML: frontFields reads what it
// can.
func fieldsOf(front string) (fields yaml.MapSlice) {
	if yaml.Unmarshal([]byte(front), &fields) != nil {
		return nil
	}
	return fields
}

// ofPrograms are the keys of front matter for the programs that show a note, and fields that
// are kept otherwise.
const ofPrograms = " title description date created created_at updated updated_at modified id uid tags tag " +
	"aliases alias cssclass cssclasses publish permalink slug type layout draft position banner icon cover " +
	"kanban-plugin template "

// maxFacts is the most fields of front matter that become a part of a text.
const maxFacts = 32

// factsOf returns the facts of front matter about the matter of a note, such as a birthday: the key
// as it is written, and the value.
func factsOf(fields yaml.MapSlice) iter.Seq2[string, string] {
	return func(use func(key, value string) bool) {
		for _, f := range fields[:min(len(fields), maxFacts)] {
			key := strings.TrimSpace(fmt.Sprint(f.Key))
			if strings.Contains(ofPrograms, " "+strings.ToLower(key)+" ") {
				continue
			}
			var values []string
			all, isList := f.Value.([]any)
			if !isList {
				all = []any{f.Value}
			}
			for _, v := range all {
				switch v.(type) {
				case nil, bool, []any, yaml.MapSlice, map[string]any:
				default:
					values = append(values, strings.Join(strings.Fields(fmt.Sprint(v)), " "))
				}
			}
			value := strings.Join(values, ", ")
			if _, ok := readAuthored(value, time.UTC); value == "" || ok && dateField(key) != noDate {
				continue
			}
			if !use(key, value) {
				return
			}
		}
	}
}

// frontList returns a list in front matter, by one of its names, such as the tags. It may be written
// as one text, with commas or, if spaced, also spaces between its values.
func frontList(fields yaml.MapSlice, spaced bool, names ...string) (all []string) {
	for _, f := range fields {
		if key := strings.ToLower(fmt.Sprint(f.Key)); !slices.Contains(names, key) || f.Value == nil {
			continue
		}
		values, isList := f.Value.([]any)
		if !isList {
			apart := func(r rune) bool { return r == ',' || spaced && unicode.IsSpace(r) }
			for part := range strings.FieldsFuncSeq(fmt.Sprint(f.Value), apart) {
				values = append(values, part)
			}
		}
		for _, tag := range values {
			if tag := strings.TrimSpace(strings.TrimPrefix(fmt.Sprint(tag), "#")); tag != "" && tag != "<nil>" {
				all = append(all, tag)
			}
		}
	}
	return all
}
