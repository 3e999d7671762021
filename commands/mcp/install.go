package mcp

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"techo/commands/run"
	"techo/commands/system"
	"techo/export"
	"techo/internal/splice"
	"techo/tools"
)

// client is a program that starts MCP servers, and the place of its configuration.
type client struct {
	file    []string       // path below the home folder
	project []string       // path below a project's folder
	homeVar string         // environment variable that moves the configuration
	skip    int            // how many elements of file homeVar replaces, besides the home folder
	toml    bool           // the format: TOML, else JSON
	fixed   map[string]any // further fields of a server's entry
}

func clients() map[string]client {
	return map[string]client{
		"claude": {file: []string{".claude.json"}, project: []string{".mcp.json"}, homeVar: "CLAUDE_CONFIG_DIR",
			fixed: map[string]any{"type": "stdio"}},
		"codex": {file: []string{".codex", "config.toml"}, project: []string{".codex", "config.toml"},
			homeVar: "CODEX_HOME", skip: 1, toml: true},
		"cursor": {file: []string{".cursor", "mcp.json"}, project: []string{".cursor", "mcp.json"}},
		"gemini": {file: []string{".gemini", "settings.json"}, project: []string{".gemini", "settings.json"},
			homeVar: "GEMINI_CLI_HOME"},
	}
}

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

// Install adds techo to the configuration of a client and changes nothing else in
// it.
func Install(s *run.Run, name string, args []string, project, dryRun bool) int {
	env := s.Env()
	out := installOut{Client: name, Command: s.System.Program(), Args: args, DryRun: dryRun}
	if project {
		out.Command = system.Name // each person who shares the file finds it on their PATH
	}
	c := clients()[name]
	var e *tools.Error
	if out.File, e = c.path(s, project); e != nil {
		return s.Out.Fail(e)
	}
	old, mode, err := readOptional(out.File)
	if err != nil {
		return s.Out.Fail(configError(env, out, err))
	}
	text, err := c.set(old, out.Command, out.Args)
	if err != nil {
		return s.Out.Fail(configError(env, out, err))
	}
	out.Changed = !bytes.Equal(old, text)
	if out.Changed && !dryRun {
		if out.Backup, err = replace(s, out.File, old, text, mode); err != nil {
			return s.Out.Fail(configError(env, out, err))
		}
	}
	out.Message = env.Localize(installMessage(out), out.Client, out.File)
	document, err := tools.Marshal(out)
	if err != nil {
		return s.Out.FailInternal(s.Env(), err)
	}
	return s.Out.Succeed(&tools.Result{JSON: document, Text: out.Message})
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

// path returns the path of the client's configuration. It follows a link, so that
// the file behind it is changed.
func (c client) path(s *run.Run, project bool) (string, *tools.Error) {
	path := filepath.Join(append([]string{s.System.Dir}, c.project...)...)
	if !project {
		home, file := s.System.Home(), c.file
		if moved := s.System.Getenv(c.homeVar); c.homeVar != "" && moved != "" {
			home, file = s.System.Path(moved), c.file[c.skip:]
		}
		if home == "" {
			return "", s.Env().Fail(tools.Unavailable, "HOME is not set").
				WithHint(s.Env().Hint("Set it, or use --project"))
		}
		path = filepath.Join(append([]string{home}, file...)...)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path, nil
}

// syntaxError reports a configuration that is not JSON or TOML.
type syntaxError struct{ error }

// set returns the configuration with the command that starts techo. The error is a
// syntaxError or splice.ErrShape.
func (c client) set(text []byte, command string, args []string) ([]byte, error) {
	var err error
	set := func(name string, value any) {
		if err != nil {
			return
		}
		if c.toml {
			text, err = splice.TOML(text, []string{"mcp_servers", system.Name}, name, value)
		} else {
			text, err = splice.JSON(text, []string{"mcpServers", system.Name, name}, value)
		}
	}
	for name, value := range c.fixed {
		set(name, value)
	}
	if c.toml { // a new key is inserted above the others
		set("args", args)
		set("command", command)
	} else {
		set("command", command)
		set("args", args)
	}
	if err != nil && !errors.Is(err, splice.ErrShape) {
		err = syntaxError{err}
	}
	return text, err
}

// readOptional reads a file. A missing file is empty and has the mode of a new one.
func readOptional(path string) ([]byte, fs.FileMode, error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o600, nil
	} else if err != nil {
		return nil, 0, err
	}
	text, err := os.ReadFile(path)
	return text, st.Mode().Perm(), err
}

// errChanged reports that another program changed the file meanwhile.
var errChanged = errors.New("the file was changed meanwhile")

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

// configError returns the error for a configuration that was not changed. Its hint
// is to run the command again, or contains the entry to add by hand.
func configError(env *tools.Env, out installOut, err error) *tools.Error {
	var syntax syntaxError
	var e *tools.Error
	switch {
	case errors.Is(err, errChanged):
		return env.Fail(tools.Conflict, "%s was changed by another program meanwhile", out.File).
			WithHint(env.Hint("Run it again"))
	case errors.As(err, &syntax):
		e = env.Fail(tools.Conflict, "%s was not changed, because it cannot be parsed", out.File)
	case errors.Is(err, splice.ErrShape):
		e = env.Fail(tools.Conflict, "%s was not changed, because its structure is not the expected one", out.File)
	case errors.Is(err, fs.ErrPermission):
		e = env.Fail(tools.Forbidden, "%s was not changed: no permission", out.File)
	default:
		e = env.Fail(tools.Conflict, "%s was not changed", out.File)
	}
	e.Details = []tools.Detail{{Message: env.Cause(err)}}
	return e.WithHint(env.Hint("Add the server by hand: command %s, arguments %s", out.Command,
		strings.Join(out.Args, " ")))
}
