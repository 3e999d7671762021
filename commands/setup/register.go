package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"techo/commands/run"
	"techo/commands/system"
	"techo/export"
	"techo/internal/regular"
	"techo/tools"
)

// installOut is the result of mcp --install.
type installOut struct {
	Client  string   `json:"client"`
	File    string   `json:"file"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Changed bool     `json:"changed"`
	DryRun  bool     `json:"dry_run"`
	Backup  string   `json:"backup"` // "" when there was nothing to keep
	Message string   `json:"message"`
}

// Register adds the server to the configuration of a client and changes nothing else in
// it.
func Register(s *run.Run, name string, args []string, project, dryRun bool) int {
	env := s.Env()
	out := installOut{Client: name, Command: s.System.Program(), Args: args, DryRun: dryRun}
	if project {
		out.Command = system.Name // each person who shares the file finds it on their PATH
	}
	c, scope := find(name), 0
	if project {
		scope = 1
	}
	if out.File = c.servers[scope](machine{s.System, runtime.GOOS}); out.File == "" {
		return s.Out.Fail(noHome(env))
	}
	if real, err := filepath.EvalSymlinks(out.File); err == nil {
		out.File = real // the file behind a link is changed
	}
	old, mode, err := readOptional(out.File)
	if err != nil {
		return s.Out.Fail(configError(env, out, err))
	}
	edit := serverEdit{[]string{c.list, system.Name}, c.entry(out.Command, out.Args)}
	text, err := edit.set(c.format, old)
	if err != nil {
		return s.Out.Fail(byHand(env, out, unedited(env, out.File, err), err))
	}
	out.Changed = !bytes.Equal(old, text)
	if out.Changed && !dryRun {
		if out.Backup, err = replace(s, out.File, old, text, mode); err != nil {
			return s.Out.Fail(configError(env, out, err))
		}
	}
	out.Message = env.Localize(installMessage(out), out.Client, out.File)
	return s.Answer(out, out.Message)
}

func installMessage(out installOut) tools.Text {
	switch {
	case !out.Changed:
		return "The configuration of %s contains techo already (%s)"
	case out.DryRun:
		return "The configuration of %s would be changed (%s)"
	}
	return "Added techo to the configuration of %s (%s). Restart the client"
}

// readOptional reads a file. A missing file is empty and has the mode of a new one.
func readOptional(path string) ([]byte, fs.FileMode, error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o600, nil
	} else if err != nil {
		return nil, 0, err
	}
	text, err := regular.Read(path, maxConfig)
	return text, st.Mode().Perm(), err
}

// replace writes a file and keeps the old one as a backup beside it. backup is ""
// if there was no old file.
func replace(s *run.Run, path string, old, text []byte, mode fs.FileMode) (backup string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	if old != nil {
		backup = path + "." + s.Options.Clock().UTC().Format("20060102T150405.000") + ".bak"
		if err := export.Replace(backup, old, mode); err != nil {
			return "", err
		}
	}
	if now, _, err := readOptional(path); err != nil || !bytes.Equal(now, old) {
		return "", errors.Join(errChanged, err)
	}
	return backup, export.Replace(path, text, mode)
}

var errChanged = errors.New("the file was changed meanwhile")

// configError returns the error for a configuration that was not changed.
func configError(env *tools.Env, out installOut, err error) *tools.Error {
	switch {
	case errors.Is(err, errChanged):
		return env.Fail(tools.Conflict, "%s was changed by another program meanwhile", out.File).
			WithHint(env.Hint("Run it again"))
	case errors.Is(err, fs.ErrPermission):
		return byHand(env, out, env.Fail(tools.Forbidden, "%s was not changed: no permission", out.File), err)
	}
	return byHand(env, out, env.Fail(tools.Conflict, "%s was not changed", out.File), err)
}

// byHand adds the cause to an error, and a hint with the entry to add by hand.
func byHand(env *tools.Env, out installOut, e *tools.Error, err error) *tools.Error {
	e.Details = []tools.Detail{{Message: env.Cause(err)}}
	return e.WithHint(env.Hint("Add the server by hand: command %s, arguments %s", out.Command,
		strings.Join(out.Args, " ")))
}
