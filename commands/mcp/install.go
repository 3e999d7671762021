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

// mcpClient is a program that starts MCP servers, and the file that it reads
// their commands from.
type mcpClient struct {
	file    []string // in the home folder
	project []string // in a project's folder
	home    string   // the variable that names another folder
	within  int      // for so many of file's parts, besides the home folder
	toml    bool
	fixed   map[string]any // what else it wants of a server
}

func mcpClients() map[string]mcpClient {
	return map[string]mcpClient{
		"claude": {file: []string{".claude.json"}, project: []string{".mcp.json"}, home: "CLAUDE_CONFIG_DIR",
			fixed: map[string]any{"type": "stdio"}},
		"codex": {file: []string{".codex", "config.toml"}, project: []string{".codex", "config.toml"},
			home: "CODEX_HOME", within: 1, toml: true},
		"cursor": {file: []string{".cursor", "mcp.json"}, project: []string{".cursor", "mcp.json"}},
		"gemini": {file: []string{".gemini", "settings.json"}, project: []string{".gemini", "settings.json"},
			home: "GEMINI_CLI_HOME"},
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

// Install writes techo into the configuration of a client, and nothing else in
// it is touched.
func Install(s *run.Run, client string, args []string, project, dryRun bool) int {
	env := s.Env()
	out := installOut{Client: client, Command: s.System.Program(), Args: args, DryRun: dryRun}
	prog := mcpClients()[client]
	var e *tools.Error
	if out.File, e = clientFile(s, prog, project); e != nil {
		return s.Out.Fail(e)
	}
	old, mode, err := readOld(out.File)
	if err != nil {
		return s.Out.Fail(configError(env, out, err))
	}
	text, err := prog.set(old, out.Command, out.Args)
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
		return s.Out.Fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
	}
	return s.Out.Succeed(&tools.Result{JSON: document, Text: out.Message})
}

func installMessage(out installOut) tools.Text {
	switch {
	case !out.Changed:
		return "%s knows techo already (%s)"
	case out.DryRun:
		return "%s would be told of techo in %s"
	}
	return "%s knows techo now (%s); start it anew"
}

// clientFile finds the file of a client. A link is followed: people keep such
// files elsewhere.
func clientFile(s *run.Run, c mcpClient, project bool) (string, *tools.Error) {
	path := filepath.Join(append([]string{s.System.Dir}, c.project...)...)
	if !project {
		home, file := s.System.Home(), c.file
		if own := s.System.Getenv(c.home); c.home != "" && own != "" {
			home, file = s.System.Path(own), c.file[c.within:]
		}
		if home == "" {
			return "", s.Env().Fail(tools.Unavailable, "HOME is not set").
				WithHint(s.Env().Localize("Set it, or use --project"))
		}
		path = filepath.Join(append([]string{home}, file...)...)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path, nil
}

// set sets the command of techo in a client's file.
func (c mcpClient) set(text []byte, command string, args []string) ([]byte, error) {
	var err error
	if c.toml {
		table := []string{"mcp_servers", system.Name}
		if text, err = splice.TOML(text, table, "args", args); err != nil {
			return nil, err
		}
		return splice.TOML(text, table, "command", command)
	}
	path := []string{"mcpServers", system.Name, ""}
	set := func(name string, value any) {
		if err == nil {
			path[2] = name
			text, err = splice.JSON(text, path, value)
		}
	}
	for name, value := range c.fixed {
		set(name, value)
	}
	set("command", command)
	set("args", args)
	return text, err
}

// readOld reads a file that may not be there.
func readOld(path string) ([]byte, fs.FileMode, error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o600, nil
	} else if err != nil {
		return nil, 0, err
	}
	text, err := os.ReadFile(path)
	return text, st.Mode().Perm(), err
}

// errChanged says that somebody else wrote the file meanwhile.
var errChanged = errors.New("the file was changed meanwhile")

// replace writes the file and keeps the old one beside it.
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
	if now, _, err := readOld(path); err != nil || !bytes.Equal(now, old) {
		return "", errors.Join(errChanged, err)
	}
	return backup, export.Replace(path, text, mode)
}

// configError tells why a client's file was not changed, and what to write
// there by hand.
func configError(env *tools.Env, out installOut, err error) *tools.Error {
	code := tools.Conflict
	if errors.Is(err, fs.ErrPermission) {
		code = tools.Forbidden
	}
	e := env.Fail(code, "%s was not changed: %v", out.File, err)
	if errors.Is(err, errChanged) {
		return e.WithHint(env.Localize("Run it again"))
	}
	return e.WithHint(env.Localize("Add the server by hand: command %s, arguments %s",
		out.Command, strings.Join(out.Args, " ")))
}
