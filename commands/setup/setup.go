package setup

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"techo/commands/run"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/files"
)

// Options choose what to set up.
type Options struct {
	Client   string
	Project  bool
	Args     []string // of techo, for the server
	Settings []string // flags of techo for the hooks
	Skills   []string // the texts of the skill in all languages, the wanted one first; none leaves it out
	Hooks    bool
	DryRun   bool
}

// Set adds techo to the files of a client.
func Set(s *run.Run, o Options) (out Out, err error) {
	out, err = do(s, o, func(f *file, rec record) (*change, error) {
		text, rec, err := f.set(rec)
		if err != nil {
			return nil, err
		}
		rec.Parts = f.parts()
		if !slices.Contains(rec.Clients, o.Client) {
			rec.Clients = append(rec.Clients, o.Client)
		}
		rec.Created = rec.Created || !f.exists
		return &change{file: f, text: text, record: rec}, nil
	})
	return out.with(s.Env(), "techo is set up for %s", "techo would be set up for %s",
		"techo is set up for %s already"), err
}

// Unset removes from the files of a client what Set added.
func Unset(s *run.Run, o Options) (Out, error) {
	out, err := do(s, o, func(f *file, rec record) (*change, error) {
		rec.Clients = slices.DeleteFunc(slices.Clone(rec.Clients), func(name string) bool { return name == o.Client })
		if len(rec.Clients) > 0 { // another client uses the skill
			return &change{file: f, text: f.old, record: rec}, nil
		}
		text, gone, err := f.unset(rec)
		return &change{file: f, text: text, gone: gone, record: record{Created: rec.Created, Folders: rec.Folders}}, err
	})
	out.Notes = []string{}
	return out.with(s.Env(), "techo was removed from %s", "techo would be removed from %s",
		"techo is not set up for %s"), err
}

// with adds the message for changes that were made, would be made, or are not necessary.
func (o Out) with(env *tools.Env, done, planned, nothing tools.Text) Out {
	title, changed := find(o.Client).title, func(f File) bool { return f.Action != unchanged }
	switch {
	case !slices.ContainsFunc(o.Files, changed):
		o.Message = env.Localize(nothing, title)
	case o.DryRun:
		o.Message = env.Localize(planned, title)
	default:
		o.Message = env.Localize(done, title)
		o.Notes = append(o.Notes, env.Localize("Restart %s if it is running", title))
	}
	return o
}

func do(s *run.Run, o Options, plan func(*file, record) (*change, error)) (out Out, err error) {
	env, c := s.Env(), find(o.Client)
	out = Out{Client: o.Client, Files: []File{}, DryRun: o.DryRun, Notes: notes(env, c, o)}
	state := s.System.State()
	if state == "" {
		return out, noHome(env)
	}
	all, err := readRecords(state)
	if err != nil {
		return out, err
	}
	targets, err := c.files(s, o)
	if err != nil {
		return out, failed(env, err)
	}
	var changes []*change
	for _, f := range targets {
		planned, err := plan(f, all.Files[f.path])
		if err != nil {
			return out, failed(env, err)
		}
		changes = append(changes, planned)
	}
	if !o.DryRun {
		if err := apply(changes, filepath.Join(state, "techo", "setup"), s.Options.Clock()); err != nil {
			return out, failed(env, err)
		}
		if err := all.keep(changes); err != nil {
			return out, err
		}
	}
	for _, c := range changes {
		out.Files = append(out.Files, c.result(o.DryRun))
	}
	return out, nil
}

func (r records) keep(changes []*change) error {
	for _, c := range slices.Backward(changes) { // the folders of the last files are the deepest
		if len(c.record.Parts) > 0 {
			r.Files[c.path] = c.record
			continue
		}
		delete(r.Files, c.path)
		if c.gone {
			c.removeFolders()
		}
	}
	return r.write()
}

func (c *change) result(dryRun bool) File {
	f := File{Path: c.path, Action: c.action(), Backup: c.backup}
	if dryRun && c.isChange() {
		f.Diff = files.History{}.Diff(c.path, string(c.old), string(c.text))
	}
	return f
}

func (c client) files(s *run.Run, o Options) (all []*file, err error) {
	m, scope, project := machine{s.System, runtime.GOOS}, 0, ""
	command := s.System.Program()
	if o.Project {
		scope, project = 1, s.System.Dir
		command = system.Name // each person who shares the files finds it on their PATH
	}
	add := func(at location, f file) {
		if at == nil || err != nil {
			return
		}
		f.env = s.Env()
		if f.path = at(m); f.path == "" {
			err = noHome(f.env)
			return
		}
		if err = f.read(project); err != nil {
			return
		}
		for _, other := range all {
			if other.path == f.path {
				other.edits = append(other.edits, f.edits...)
				return
			}
		}
		all = append(all, &f)
	}
	add(c.servers[scope], file{format: c.format, edits: []edit{
		serverEdit{[]string{c.list, system.Name}, c.entry(command, o.Args)}}})
	if len(o.Skills) > 0 {
		add(c.skill[scope], file{content: o.Skills[0], others: o.Skills[1:], kind: skillPart, head: skillHead})
	}
	if line := strings.Join(append([]string{command}, o.Settings...), " "); o.Hooks {
		if m.os == "windows" && c.hooks[scope] != nil && strings.ContainsAny(line, noShellWord) {
			env := s.Env()
			return nil, env.Fail(tools.InvalidInput, "A hook cannot have these characters in its command line: %s", line).
				WithHint(env.Hint("Leave the hooks out: %s", tools.Flag("no-hooks")))
		}
		add(c.hooks[scope], file{format: c.hookFormat(), initial: c.initial, edits: c.hookEdits(command, o.Settings)})
	}
	if o.Hooks {
		add(c.plugin[scope], file{content: plugin(command, o.Settings), kind: hooksPart, head: pluginHead})
	}
	return all, err
}
