package setup

import (
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"techo/commands/system"
	"techo/internal/splice"
)

// edit is one thing that techo adds to a configuration file.
type edit interface {
	// set returns text with the addition, unchanged if it is there already.
	set(f splice.Format, text []byte) ([]byte, error)

	// unset returns text without the addition.
	unset(f splice.Format, text []byte) ([]byte, error)

	// status compares the addition in text with the wanted one.
	status(f splice.Format, text []byte) (Status, error)

	place() []string // the path of the value that contains the addition
	part() part
}

// part is a kind of addition.
type part string

const (
	serverPart part = "server"
	hooksPart  part = "hooks"
	skillPart  part = "skill"
)

// serverEdit is the entry of the server. Further members of the entry stay.
type serverEdit struct {
	path    []string
	members []member
}

func (e serverEdit) set(f splice.Format, text []byte) (_ []byte, err error) {
	for _, m := range e.members {
		if text, err = f.Set(text, append(slices.Clone(e.path), m.name), m.value); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func (e serverEdit) unset(f splice.Format, text []byte) ([]byte, error) {
	if line, err := e.line(f, text); err != nil || !startsTecho(line) {
		return text, err
	}
	return f.Remove(text, e.path)
}

// status reports an entry with other flags as current, because they may have been
// chosen.
func (e serverEdit) status(f splice.Format, text []byte) (Status, error) {
	line, err := e.line(f, text)
	want := lineOf(e.members)
	switch {
	case err != nil:
		return Broken, err
	case len(line) == 0:
		return Absent, nil
	case !startsTecho(line):
		return Stale, nil
	case !isProgram(line[0]):
		return Broken, nil
	case line[0] != want[0]:
		return Stale, nil
	}
	return Current, nil
}

// line returns the command line of the entry, nil without one.
func (e serverEdit) line(f splice.Format, text []byte) ([]string, error) {
	value, ok, err := f.Get(text, e.path)
	if err != nil || !ok {
		return nil, err
	}
	entry, _ := value.(map[string]any)
	var members []member
	for name, v := range entry {
		members = append(members, member{name, v})
	}
	if line := lineOf(members); len(line) > 0 {
		return line, nil
	}
	return []string{""}, nil // there is an entry without a command
}

// lineOf returns the command line in the members of an entry.
func lineOf(members []member) (line []string) {
	var rest []string
	for _, m := range members {
		switch m.name {
		case "command":
			line = wordsOf(m.value)
		case "args":
			rest = wordsOf(m.value)
		}
	}
	return append(line, rest...)
}

func wordsOf(value any) (words []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		for _, w := range v {
			word, _ := w.(string)
			words = append(words, word)
		}
	}
	return words
}

// startsTecho reports whether a command line starts techo as a server.
func startsTecho(line []string) bool {
	if len(line) < 2 || line[1] != "mcp" {
		return false
	}
	base := strings.ReplaceAll(line[0], `\`, "/")
	base = strings.TrimSuffix(base[strings.LastIndexByte(base, '/')+1:], filepath.Ext(base))
	return strings.HasPrefix(base, system.Name)
}

func (e serverEdit) place() []string { return e.path[:len(e.path)-1] }

func (e serverEdit) part() part { return serverPart }

// hookEdit is one hook. Other hooks of the event stay.
type hookEdit struct {
	path   []string // of the list of hooks
	hook   string
	client string
	value  object
	group  bool
}

func (e hookEdit) set(f splice.Format, text []byte) ([]byte, error) {
	at, _, err := e.find(f, text)
	switch {
	case err != nil:
		return nil, err
	case at != nil:
		return f.Set(text, at, e.value)
	case e.group:
		return f.Set(text, append(slices.Clone(e.path), "-"), object{{"hooks", []any{e.value}}})
	}
	return f.Set(text, append(slices.Clone(e.path), "-"), e.value)
}

func (e hookEdit) unset(f splice.Format, text []byte) ([]byte, error) {
	at, alone, err := e.find(f, text)
	if err != nil || at == nil {
		return text, err
	}
	if alone {
		at = at[:len(e.path)+1]
	}
	return f.Remove(text, at)
}

func (e hookEdit) status(f splice.Format, text []byte) (Status, error) {
	at, _, err := e.find(f, text)
	if err != nil {
		return Broken, err
	}
	if at == nil {
		return Absent, nil
	}
	value, _, err := f.Get(text, at)
	if err != nil {
		return Broken, err
	}
	if old, _ := value.(map[string]any); !reflect.DeepEqual(e.lineOf(old), e.lineOf(e.value.plain())) {
		return Stale, nil
	}
	return Current, nil
}

func (e hookEdit) place() []string { return e.path }

func (e hookEdit) part() part { return hooksPart }

// lineOf returns the command line of a hook without its settings, which may have been
// chosen.
func (e hookEdit) lineOf(hook map[string]any) []string {
	line := wordsOf(hook["command"])
	if args := wordsOf(hook["args"]); len(args) > 0 {
		return append(line, args[:min(len(args), 4)]...)
	}
	all := strings.Join(line, "")
	before, _, _ := strings.Cut(all, " --client ")
	return []string{before}
}

// find returns the path of the hook, nil without one. alone reports that its group has
// no other hooks.
func (e hookEdit) find(f splice.Format, text []byte) (at []string, alone bool, err error) {
	value, _, err := f.Get(text, e.path)
	if err != nil {
		return nil, false, err
	}
	all, _ := value.([]any)
	for i, element := range all {
		at := append(slices.Clone(e.path), strconv.Itoa(i))
		if !e.group {
			if isHook(element, e.hook, e.client) {
				return at, false, nil
			}
			continue
		}
		group, _ := element.(map[string]any)
		hooks, _ := group["hooks"].([]any)
		for j, h := range hooks {
			if isHook(h, e.hook, e.client) {
				return append(at, "hooks", strconv.Itoa(j)), len(hooks) == 1, nil
			}
		}
	}
	return nil, false, nil
}

// plain returns an object as it is read from a file.
func (o object) plain() map[string]any {
	all := map[string]any{}
	for _, m := range o {
		all[m.name] = m.value
	}
	return all
}
