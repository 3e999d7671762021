package run

import (
	"slices"
	"strings"

	"techo/commands/remote"
	"techo/store"
	"techo/tools"
)

// setting is a global flag, which may stand before or after the command.
type setting struct {
	Name  string
	Short string
	Env   string
	Value string // the placeholder in the help; "" is a switch
	About tools.Text

	Default string   // the value without any, as config list shows it; DefaultOf knows those of the machine
	Only    []string // the commands that accept it; nil is all
	On      bool     // a switch that is on by default, so that the help shows how to turn it off

	Header string // by which a request to a server chooses it; "" means that it cannot

	// Own means that the machine of the store decides: a call to a server refuses the flag.
	Own bool

	// File means that only the person's file may have it: no flag and no variable of the
	// environment, which an agent chooses.
	File bool

	// Widens means that it gives agents more reach, or hides their changes: the person
	// confirms each change of the file.
	Widens bool
}

// Settings are the global flags, in the order of the help.
var Settings = []setting{
	{Name: "store", Env: "TECHO_STORE", Value: "DIR|URL", Widens: true,
		About: "The store: a folder, postgres://USER@HOST/DATABASE or https://HOST (default: the nearest trusted " +
			".techo, else $XDG_DATA_HOME/techo)"},
	{Name: "lang", Env: "TECHO_LANG", Value: "en|ja", Header: "Techo-Lang",
		About: "Language of messages and texts"},
	{Name: "output", Short: "o", Env: "TECHO_OUTPUT", Value: "json|text|auto", Header: remote.OutputHeader, Default: "auto",
		About: "Form of the answer; auto is text on a person's terminal, and JSON in pipes and in the shells of agents (default: auto)"},
	{Name: "errors-to-stderr", Env: "TECHO_ERRORS_TO_STDERR",
		About: "Unless stdout is a terminal, also print an error as one line on stderr, for cron"},
	{Name: "tz", Env: "TECHO_TZ", Value: "ZONE", Header: "Techo-Tz", About: "Time zone, e.g. Asia/Tokyo"},
	{Name: "user", Env: "TECHO_USER", Value: "ID", Header: "Techo-User",
		About: "The user whose memories are used"},
	{Name: "root", Env: "TECHO_ROOTS", Value: "DIR", Widens: true,
		About: "Confine the file tools, imports, exports, backups and copies to this folder; repeat it for more " +
			"(TECHO_ROOTS: separated as in PATH)"},
	{Name: "enable-memory", Env: "TECHO_MEMORY", Own: true,
		About: "Offer agents the tools that read memories in full"},
	{Name: "memory-tool", Env: "TECHO_MEMORY_TOOL", Own: true,
		About: "Offer agents the memory tool of Anthropic: files below /memories (memory tool)"},
	{Name: "memory-context", Env: "TECHO_MEMORY_CONTEXT", Own: true,
		About: "The prompt contains references to memories (memory context)"},
	{Name: "context-dates", Env: "TECHO_CONTEXT_DATES", Own: true,
		About: "Add the day to each reference of a prompt (memory context)"},
	{Name: "memory-service-url", Env: "TECHO_MEMORY_SERVICE_URL", Value: "URL", Own: true, Widens: true,
		About: "Investigate memories of this service instead of the store; TECHO_MEMORY_SERVICE_TOKEN is its " +
			"bearer token"},
	{Name: "embed-url", Env: "TECHO_EMBED_URL", Value: "URL", Own: true, Widens: true,
		About: "Compare meanings by a model: base address of an OpenAI-compatible /v1/embeddings; " +
			"TECHO_EMBED_KEY is its key"},
	{Name: "embed-model", Env: "TECHO_EMBED_MODEL", Value: "NAME", Own: true, Widens: true,
		About: "The model of embed-url"},
	{Name: "embed-key-command", Value: "COMMAND", File: true, Widens: true,
		About: "Command that prints the key of embed-url"},
	{Name: "timeout", Env: "TECHO_TIMEOUT", Value: "DURATION",
		About: "Give up after this time, e.g. 30s; a bare number is seconds"},
	{Name: "max-bytes", Env: "TECHO_MAX_BYTES", Value: "N", Header: "Techo-Max-Bytes",
		About: "Shorten a longer result, and show how to get the rest; 0 is no limit (default: 65536 for servers, no " +
			"limit for commands)"},
	{Name: "history-days", Env: "TECHO_HISTORY_DAYS", Value: "N", Default: "90", Own: true, Widens: true,
		About: "Drop changes from the history after this many days; 0 records no changes (default: 90)"},
	{Name: "history-bytes", Env: "TECHO_HISTORY_BYTES", Value: "N", Default: "67108864", Own: true, Widens: true,
		About: "Drop the oldest changes from a history with more bytes (default: 67108864)"},
	{Name: "sync", Env: "TECHO_SYNC", Value: "off|auto", Own: true,
		About: "Sync a notebook on several machines by itself, after writes and in servers, at most once a minute " +
			"(default: off)"},
	{Name: "fields", Value: "a,b.c", Header: "Techo-Fields", About: "Keep only these fields of the result"},
	{Name: "compact", Env: "TECHO_COMPACT", Header: "Techo-Compact",
		About: "Leave out empty fields of results, and those of items that a choice does not need (default: on over " +
			"MCP, off elsewhere)"},
	{Name: "idempotency-key", Value: "KEY", Header: "Idempotency-Key", About: "Run calls with this key only once"},
	{Name: "working-hours", Env: "TECHO_WORKING_HOURS", Value: "FROM-TO", Header: "Techo-Working-Hours",
		Default: "09:00-18:00",
		Only:    []string{"cal suggest", "call", "mcp", "serve"},
		About:   "Hours of a day in which times are suggested (default: 09:00-18:00)"},
	{Name: "working-days", Env: "TECHO_WORKING_DAYS", Value: "DAYS", Header: "Techo-Working-Days",
		Default: "work",
		Only:    []string{"cal suggest", "call", "mcp", "serve"},
		About:   "Days on which times are suggested: work (Monday to Friday), all, or weekdays such as mon,sat"},
	{Name: "event-buffer", Env: "TECHO_EVENT_BUFFER", Value: "MINUTES", Header: "Techo-Event-Buffer",
		Default: "0",
		Only:    []string{"cal suggest", "call", "mcp", "serve"},
		About:   "Free minutes around other events in suggested times (default: 0)"},
	{Name: "turn", Env: "TECHO_TURN", Value: "T", Header: "Techo-Turn",
		Only: []string{"memory investigate", "call", "mcp"},
		About: "Name of the turn in which calls of memory investigate are counted (default: for a client of a " +
			"server, the last 60 seconds; a command is not counted)"},
	{Name: "max-per-turn", Env: "TECHO_MAX_PER_TURN", Value: "N", Default: "2", Own: true,
		Only: []string{"memory investigate", "call", "mcp", "serve"},
		About: "Limit for calls of memory investigate in one turn (default: 2); the flag can only lower the " +
			"variable"},
	{Name: "allow-private", Own: true, Only: []string{"web fetch", "call", "mcp", "serve"},
		About: "Also fetch from addresses that are not on the public internet, except services of clouds such as " +
			"169.254.169.254"},
	{Name: "purge", Only: []string{"memo remove", "memory remove", "cal delete", "todo remove", "undo"},
		About: "Erase earlier values of the record from the history, and receipts of it"},
	{Name: "secrets", Env: "TECHO_SECRETS", Value: "warn|refuse|redact", Default: "warn", Own: true,
		About: "What becomes of texts for the store that look as if they have a password or key: warn keeps them, " +
			"refuse does not, redact keeps [secret] instead (default: warn)"},
	{Name: "secret-patterns", Value: "REGEXP", File: true,
		About: "Further patterns of secrets, in RE2: a text of lines, or a list; the first group is the secret"},
	{Name: "serve-purge", Value: "token", File: true, Widens: true,
		About: "Let techo serve --audience person purge for requests with a token"},
	{Name: "browser", Value: "auto|PATH", File: true, Widens: true,
		About: "Let web fetch run the scripts of pages in this browser; auto is an installed Chromium, Chrome or Edge"},
	{Name: "save", Value: "FILE", Only: []string{"web fetch"}, About: "Save the body to a file"},
	{Name: "force", Only: []string{"web fetch"}, About: "Let --save replace a file"},
	{Name: "parents", Only: []string{"web fetch"}, On: true,
		About: "Let --save create missing folders (default true)"},
}

// FindSetting returns the setting with a name or a short name, nil for none.
func FindSetting(name string) *setting {
	for i := range Settings {
		if s := &Settings[i]; s.Name == name || s.Short != "" && s.Short == name {
			return s
		}
	}
	return nil
}

// Spelled returns the name of a setting that was given with underscores, as fields are.
func Spelled(name string) string {
	if s := FindSetting(strings.ReplaceAll(name, "_", "-")); s != nil && len(name) > 1 {
		return s.Name
	}
	return name
}

// SettingOfFlag returns the setting that a flag sets, nil for none. With not, the flag is a switch
// behind "no-", which turns it off.
func SettingOfFlag(name string) (s *setting, not bool) {
	rest, negated := strings.CutPrefix(name, "no-")
	if s = FindSetting(rest); s != nil && negated && s.Value != "" {
		return nil, false
	}
	return s, negated
}

// Fits reports whether a command has the setting as a flag.
func (s *setting) Fits(command string) bool {
	return !s.File && (s.Only == nil || command != "" && slices.Contains(s.Only, command))
}

// DefaultOf returns the value that a setting has without a flag, a variable and a file, ""
// for none.
func DefaultOf(s *Run, name string) string {
	switch name {
	case "store":
		path, _, err := FindStore(s.System, "")
		if err != nil {
			return ""
		}
		return path
	case "lang":
		return string(s.Options.lang)
	case "tz":
		return s.Options.zone.String()
	case "user":
		return s.Options.User
	}
	set := FindSetting(name)
	if set.Value == "" {
		return "false"
	}
	return set.Default
}

// CheckKept returns an error unless a file may start a server of this program with the store
// of this run: SettingWords has no password, and a server needs the store itself.
func CheckKept(s *Run) *tools.Error {
	if e := CheckHere(s); e != nil {
		return e
	}
	if !store.HasPassword(s.Options.Store) {
		return nil
	}
	env := s.Env()
	return env.Fail(tools.InvalidInput, "The address of the store has a password, which techo writes to no file").
		WithHint(env.Hint("Leave it out of the address, and keep it in ~/.pgpass, which only you may read " +
			"(chmod 600)"))
}

// SharedWords is SettingWords without folders of this machine, for a file that other
// people share.
func (s *Run) SharedWords() (words []string) {
	all := s.SettingWords()
	for i := 0; i < len(all); i++ {
		if slices.Contains([]string{"--root", "--store"}, all[i]) {
			i++ // its value
			continue
		}
		words = append(words, all[i])
	}
	return words
}

// SettingWords returns global flags with which a command line has the same effect
// in any folder, without this environment. They include the roots and the store
// of TECHO_ROOTS and TECHO_STORE, unless its address has a password (CheckKept).
func (s *Run) SettingWords() (words []string) {
	for _, dir := range s.Given.Roots {
		words = append(words, "--root", s.System.Path(dir))
	}
	if len(s.Given.Roots) == 0 {
		for _, dir := range s.Options.Roots {
			words = append(words, "--root", dir)
		}
	}
	for _, g := range Settings {
		v, ok := s.Given.Settings[g.Name]
		if g.Name == "store" && !ok {
			v, ok = s.Options.Store, s.Options.Store != ""
		}
		switch {
		case g.Name == "store" && store.HasPassword(v):
			continue
		case !ok || g.Name == "output" || g.Name == "fields" || g.Name == "idempotency-key":
			continue // for this call only
		case g.Value == "":
			words = append(words, "--"+g.Name+"="+v)
			continue
		}
		if g.Name == "store" && !strings.Contains(v, "://") {
			v = s.System.Path(v)
		}
		words = append(words, "--"+g.Name, v)
	}
	return words
}
