package commands

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
		"claude": {file: []string{".claude.json"}, project: []string{".mcp.json"}, home: "CLAUDE_CONFIG_DIR", fixed: map[string]any{"type": "stdio"}},
		"codex":  {file: []string{".codex", "config.toml"}, project: []string{".codex", "config.toml"}, home: "CODEX_HOME", within: 1, toml: true},
		"cursor": {file: []string{".cursor", "mcp.json"}, project: []string{".cursor", "mcp.json"}},
		"gemini": {file: []string{".gemini", "settings.json"}, project: []string{".gemini", "settings.json"}, home: "GEMINI_CLI_HOME"},
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

// install writes techo into the configuration of a client, and nothing else in
// it is touched.
func (s *session) install(in mcpIn) int {
	env := s.env()
	out := installOut{Client: *in.Install, Command: s.Program(), Args: s.mcpWords(in), DryRun: in.DryRun}
	client := mcpClients()[out.Client]
	var e *tools.Error
	if out.File, e = s.clientFile(client, in.Project); e != nil {
		return s.fail(e)
	}
	old, mode, err := readOld(out.File)
	if err != nil {
		return s.fail(configError(env, out, err))
	}
	text, err := client.set(old, out.Command, out.Args)
	if err != nil {
		return s.fail(configError(env, out, err))
	}
	out.Changed = !bytes.Equal(old, text)
	if out.Changed && !in.DryRun {
		if out.Backup, err = s.replace(out.File, old, text, mode); err != nil {
			return s.fail(configError(env, out, err))
		}
	}
	out.Message = env.Say(installMessage(out), out.Client, out.File)
	document, err := tools.Marshal(out)
	if err != nil {
		return s.fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
	}
	return s.succeed(&tools.Result{JSON: document, Text: out.Message})
}

func installMessage(out installOut) tools.Say {
	switch {
	case !out.Changed:
		return tools.Say{EN: "%s knows techo already (%s)", JA: "%s には既に登録されています（%s）"}
	case out.DryRun:
		return tools.Say{EN: "%s would be told of techo in %s", JA: "%s に登録する内容です（%s、未変更）"}
	}
	return tools.Say{EN: "%s knows techo now (%s); start it anew", JA: "%s に登録しました（%s）。再起動してください"}
}

// mcpWords are the arguments that a client starts techo with.
func (s *session) mcpWords(in mcpIn) []string {
	words := append([]string{"mcp"}, s.settingWords()...)
	for _, name := range in.Only {
		words = append(words, "--only", name)
	}
	if in.ReadOnly {
		words = append(words, "--read-only")
	}
	return words
}

// clientFile finds the file of a client. A link is followed: people keep such
// files elsewhere.
func (s *session) clientFile(c mcpClient, project bool) (string, *tools.Error) {
	path := filepath.Join(append([]string{s.Dir}, c.project...)...)
	if !project {
		home, file := s.home(), c.file
		if own := s.Getenv(c.home); c.home != "" && own != "" {
			home, file = s.path(own), c.file[c.within:]
		}
		if home == "" {
			return "", s.env().Fail(tools.Unavailable, tools.Say{EN: "HOME is not set", JA: "HOME が設定されていません"}).
				WithHint(s.env().Say(tools.Say{EN: "Set it, or use --project", JA: "設定するか、--project を付けてください"}))
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
		table := []string{"mcp_servers", program}
		if text, err = splice.TOML(text, table, "args", args); err != nil {
			return nil, err
		}
		return splice.TOML(text, table, "command", command)
	}
	path := []string{"mcpServers", program, ""}
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
func (s *session) replace(path string, old, text []byte, mode fs.FileMode) (backup string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	if old != nil {
		backup = path + "." + s.now().UTC().Format("20060102T150405.000") + ".bak"
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
	e := env.Fail(code, tools.Say{EN: "%s was not changed: %v", JA: "%s は変更していません: %v"}, out.File, err)
	if errors.Is(err, errChanged) {
		return e.WithHint(env.Say(tools.Say{EN: "Run it again", JA: "もう一度実行してください"}))
	}
	return e.WithHint(env.Say(tools.Say{EN: "Add the server by hand: command %s, arguments %s", JA: "手動で登録してください: コマンド %s、引数 %s"},
		out.Command, strings.Join(out.Args, " ")))
}
