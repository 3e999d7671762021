package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpproxy"

	"techo/commands/system"
	"techo/internal/dates"
	"techo/internal/legible"
	"techo/internal/shell"
	"techo/store"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/files"
	"techo/tools/message"
)

// Options are the settings of one run.
type Options struct {
	lang     tools.Lang
	zone     *time.Location
	text     bool   // print text instead of JSON
	errors   bool   // also print errors on stderr
	Store    string // "" for the default
	User     string
	Roots    []string // absolute, without links; none means no confinement
	named    bool     // the user was configured, not guessed
	Secrets  tools.SecretPolicy
	memory   tools.MemorySettings
	model    tools.ModelSettings
	Timeout  time.Duration
	maxBytes int // bytes of a result; 0 is the default of the interface
	fields   []string
	Key      string
	Clock    func() time.Time
	given    bool // Clock is the time of TECHO_NOW
	web      tools.WebSettings
	turns    turns
	history  ledger.HistoryLimits
	work     tools.WorkingHours
	purge    bool
	compact  *bool // nil is the default of the interface

	Sync bool // sync a notebook on several machines by itself

	ServePurge bool // a server for persons purges for requests with a token

	hours, buffer, workdays string // the settings of work as they were given, for a server
}

// Parse reads the settings. A flag takes precedence over the environment, and the
// environment over files. Valid settings are used even if others are invalid, so that
// the problems are reported in the right language and form.
func Parse(sys system.System, g Given) (Options, []tools.Detail) {
	p := &parser{sys: sys, flags: g.Settings, files: g.Files}
	language, source := p.get("lang")
	lang, known := findLanguage(sys, language)
	p.env = &tools.Env{Lang: lang}
	flags, roots := g.Settings, g.Roots
	if !known && source != FindSetting("lang").Env { // a variable may name any locale, as LANG does
		lang, _ = findLanguage(sys, "")
		p.env.Lang = lang
		p.refuse("lang", source, "must be en or ja, not %q", language)
	}
	o := Options{lang: lang}
	o.errors = p.isOn("errors-to-stderr")
	o.zone = p.zone()
	o.Timeout = p.timeout()
	o.maxBytes = p.maxBytes()
	o.fields = p.fields()
	o.text = p.isText(g.Path, len(o.fields) > 0)
	o.Clock, o.given = p.clock()
	o.Roots = p.roots(roots)
	o.Store = p.store()
	o.Key = p.text("idempotency-key")
	named := p.user()
	o.User = findUser(sys, named)
	o.memory, o.model = p.memory(), p.embedding()
	o.Secrets = p.secrets()
	o.named = named != ""
	o.web = p.web()
	p.checkSwitches()
	o.turns = p.turns(g.Path)
	o.history = p.history()
	o.work = p.work()
	o.hours, _ = p.get("working-hours")
	o.buffer, _ = p.get("event-buffer")
	o.workdays, _ = p.get("working-days")
	o.purge = flags["purge"] == "true"
	if value, _ := p.get("compact"); value != "" {
		on := p.isOn("compact")
		o.compact = &on
	}
	o.Sync = p.syncs()
	o.ServePurge = p.lets("serve-purge", "token")
	return o, p.problems
}

// Compact reports whether results are compact, on an interface where they are by default or not.
func (o *Options) Compact(byDefault bool) bool {
	if o.compact == nil {
		return byDefault
	}
	return *o.compact
}

// parser reads settings from the flags, the environment and files.
type parser struct {
	sys      system.System
	flags    map[string]string
	files    *FileValues
	env      *tools.Env // with the language of the problems
	problems []tools.Detail
}

// get returns the value of a setting, and the flag, the variable or the file that it is
// from.
func (p *parser) get(name string) (value, source string) {
	if v, ok := p.flags[name]; ok {
		return v, "--" + name
	}
	return p.standing(name)
}

// standing returns the value of a setting without its flag.
func (p *parser) standing(name string) (value, source string) {
	s := FindSetting(name)
	if s.Env != "" {
		if value := p.sys.Getenv(s.Env); value != "" {
			return value, s.Env
		}
	}
	if p.files != nil {
		if v, ok := p.files.values[name]; ok {
			return v.value, v.path + ": " + name
		}
	}
	return "", s.Env
}

func (p *parser) refuse(name, source string, message tools.Text, args ...any) {
	text := p.env.Localize(message, args...)
	named := source != "--"+name // otherwise the path names the flag
	if named {
		text = p.env.Localize("%s %s", source, text)
	}
	detail := tools.Detail{Path: "/" + name, Message: text, Named: named}
	if strings.HasSuffix(source, ": "+name) { // a file
		detail.Hint = p.env.Hint("To remove it: %s", tools.Use("config unset", name))
	}
	p.problems = append(p.problems, detail)
}

// text reads a setting whose flag must have a value.
func (p *parser) text(name string) string {
	value, source := p.get(name)
	if value == "" && source == "--"+name {
		p.refuse(name, source, "requires a value")
	}
	return value
}

// store reads the address of the store. The command line is visible to all users of
// the machine, so that an address there must not contain a password.
func (p *parser) store() string {
	where := p.text("store")
	if _, source := p.get("store"); source == "--store" && store.HasPassword(where) {
		p.refuse("store", source, "must not contain a password, which other users of this machine could see: use "+
			"PGPASSWORD or a file named by PGPASSFILE")
	}
	return where
}

// isOn reads a boolean setting.
func (p *parser) isOn(name string) bool {
	value, source := p.get(name)
	if value == "" {
		return false
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		p.refuse(name, source, "must be true or false, not %q", value)
	}
	return on
}

// syncs reports whether a notebook on several machines is synced without being asked.
func (p *parser) syncs() bool {
	text, source := p.get("sync")
	if text != "" && text != "off" && text != "auto" {
		p.refuse("sync", source, "must be off or auto, not %q", text)
	}
	return text == "auto"
}

// isText reports whether the answer of a command is text. Fields can only be chosen of JSON,
// which auto then prints on a terminal too. Programs use call: only its flag makes it text, no
// setting of the person and no terminal.
func (p *parser) isText(command []string, fields bool) bool {
	form, source := p.get("output")
	byFlag := source == "--output"
	calls := len(command) > 0 && command[0] == "call"
	switch form {
	case "json":
		return false
	case "", "auto":
		return p.sys.StdoutTerminal && !p.sys.AgentShell() && !fields && (!calls || byFlag)
	case "text":
		if !byFlag && calls {
			return false
		}
		if fields {
			p.refuse("fields", "--fields", "selects fields of JSON, not of text: add -o json")
		}
		return true
	}
	p.refuse("output", source, "must be json, text or auto, not %q", form)
	return false
}

func (p *parser) zone() *time.Location {
	name, source := p.get("tz")
	find := namedZone
	if name == "" {
		name, source, find = p.sys.Getenv("TZ"), "TZ", systemZone
	}
	if name == "" {
		return defaultZone(p.env.Lang)
	}
	loc, err := find(name)
	if err != nil {
		p.refuse("tz", source, "must be a time zone such as Asia/Tokyo, not %q", name)
		return time.UTC
	}
	return loc
}

func (p *parser) timeout() time.Duration {
	text, source := p.get("timeout")
	if text == "" && source != "--timeout" {
		return 0
	}
	d, err := ParseTimeout(text)
	if err != nil {
		p.refuse("timeout", source, "must be a time such as 30s or 2m, not %q", text)
	}
	return d
}

func (p *parser) maxBytes() int {
	if text, _ := p.get("max-bytes"); text == "0" {
		return tools.Unlimited
	}
	n, _ := p.whole("max-bytes", tools.MinBytes, math.MaxInt64)
	return int(n)
}

func (p *parser) fields() (fields []string) {
	list, _ := p.get("fields")
	if list == "" {
		return nil
	}
	for f := range strings.SplitSeq(list, ",") {
		fields = append(fields, strings.TrimSpace(f))
	}
	return fields
}

// clock returns a clock that shows TECHO_NOW if it is set.
func (p *parser) clock() (clock func() time.Time, given bool) {
	now := p.sys.Getenv("TECHO_NOW")
	if now == "" {
		return p.sys.Now, false
	}
	t, err := time.Parse(time.RFC3339Nano, now)
	if err != nil {
		p.refuse("now", "TECHO_NOW", "must be a time such as 2026-01-02T15:04:05Z, not %q", now)
	}
	return func() time.Time { return t }, true
}

// roots returns the folders of --root, or else of TECHO_ROOTS. A path that is
// not a folder is a problem, never ignored: a run without roots is not confined.
func (p *parser) roots(named []string) (roots []string) {
	source := "--root"
	if len(named) == 0 {
		var list string
		list, source = p.standing("root")
		if list == "" {
			return nil
		}
		for _, dir := range filepath.SplitList(list) {
			if dir != "" {
				named = append(named, dir)
			}
		}
		if len(named) == 0 {
			named = []string{list}
		}
	}
	refused := false
	for _, dir := range named {
		real, err := filepath.EvalSymlinks(p.sys.Path(dir))
		if st, e := os.Stat(real); dir != "" && err == nil && e == nil && st.IsDir() {
			roots = append(roots, real)
		} else if !refused {
			refused = true
			p.refuse("root", source, "must be a folder, not %q", dir)
		}
	}
	return roots
}

func (p *parser) user() string {
	name, source := p.get("user")
	switch {
	case !utf8.ValidString(name):
		p.refuse("user", source, "is not valid UTF-8")
	case name != "" && legible.Blank(name):
		p.refuse("user", source, "must not be blank")
	case legible.Control(name):
		p.refuse("user", source, "must not have control characters")
	case !ledger.UserName(name):
		p.refuse("user", source, "has more than 256 bytes")
	}
	return name
}

func findUser(sys system.System, name string) string {
	for _, v := range []string{name, sys.Getenv("USER"), sys.Getenv("LOGNAME"), sys.Getenv("USERNAME")} {
		if v != "" && ledger.UserName(v) {
			return ledger.NormalUser(v)
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" && ledger.UserName(u.Username) {
		return ledger.NormalUser(u.Username) // in a job or a container without these variables
	}
	return "default"
}

// secrets reads the settings about secrets in texts.
func (p *parser) secrets() (policy tools.SecretPolicy) {
	mode, source := p.get("secrets")
	switch policy.Mode = tools.SecretMode(cmp.Or(mode, string(tools.WarnOfSecrets))); policy.Mode {
	case tools.WarnOfSecrets, tools.RefuseSecrets, tools.RedactedSecrets:
	default:
		p.refuse("secrets", source, "must be warn, refuse or redact, not %q", mode)
	}
	list, source := p.standing("secret-patterns")
	for line := range strings.SplitSeq(list, "\n") {
		if line == "" {
			continue
		}
		own, err := regexp.Compile(line)
		if err != nil {
			p.refuse("secret-patterns", source, "must be regular expressions, not %q", line)
			continue
		}
		policy.Own = append(policy.Own, own)
	}
	return policy
}

func (p *parser) memory() tools.MemorySettings {
	m := tools.MemorySettings{On: p.isOn("enable-memory"), InPrompt: p.isOn("memory-context"),
		Dates: p.isOn("context-dates"), Files: p.isOn("memory-tool"), ReadFile: files.ReadWhole}
	m.Service, _, _ = p.address("memory-service-url")
	m.Token = strings.TrimSpace(p.sys.Getenv("TECHO_MEMORY_SERVICE_TOKEN"))
	return m
}

// address reads an address of HTTP; u is nil without a valid one.
func (p *parser) address(name string) (address, source string, u *url.URL) {
	address, source = p.get(name)
	if address == "" {
		return "", source, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		p.refuse(name, source, "must be an address such as http://127.0.0.1:8080, not %q", address)
		return address, source, nil
	}
	return address, source, u
}

// lets reports whether the person's file has a setting, whose only value is given.
func (p *parser) lets(name, only string) bool {
	value, source := p.standing(name)
	if value != "" && value != only {
		p.refuse(name, source, "must be %s, not %q", only, value)
	}
	return value == only
}

// checkSwitches checks the values of switches that have no environment variable.
func (p *parser) checkSwitches() {
	for _, s := range Settings {
		v, given := p.flags[s.Name]
		if given && s.Value == "" && s.Env == "" && v != "true" && v != "false" {
			p.refuse(s.Name, "--"+s.Name, "must be true or false, not %q", v)
		}
	}
}

func (p *parser) web() tools.WebSettings {
	sys, flags := p.sys, p.flags
	proxies := &httpproxy.Config{
		HTTPProxy:  cmp.Or(sys.Getenv("HTTP_PROXY"), sys.Getenv("http_proxy")),
		HTTPSProxy: cmp.Or(sys.Getenv("HTTPS_PROXY"), sys.Getenv("https_proxy")),
		NoProxy:    cmp.Or(sys.Getenv("NO_PROXY"), sys.Getenv("no_proxy")),
		CGI:        sys.Getenv("REQUEST_METHOD") != "",
	}
	web := tools.WebSettings{Agent: system.Name + "/" + system.Version, AllowPrivate: flags["allow-private"] == "true"}
	var source string
	if web.Browser, source = p.standing("browser"); web.Browser != "" && web.Browser != "auto" &&
		!filepath.IsAbs(web.Browser) {
		p.refuse("browser", source, "must be auto or an absolute path, not %q", web.Browser)
	}
	if proxies.HTTPProxy != "" || proxies.HTTPSProxy != "" {
		web.Proxy = proxies.ProxyFunc()
	}
	for host := range strings.SplitSeq(sys.Getenv("TECHO_WEB_ALLOW"), ",") {
		if host = strings.TrimSpace(host); host != "" {
			web.Allow = append(web.Allow, host)
		}
	}
	if file := flags["save"]; file != "" {
		web.Save, web.Overwrite, web.Parents = sys.Path(file), flags["force"] == "true", flags["parents"] != "false"
		return web
	}
	for _, name := range []string{"force", "parents"} {
		if flags[name] == "true" {
			p.refuse(name, "--"+name, "requires --save")
		}
	}
	return web
}

func (p *parser) embedding() (e tools.ModelSettings) {
	address, source, u := p.address("embed-url")
	if u == nil && address != "" {
		return e
	}
	if u != nil && (u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		p.refuse("embed-url", source, "must have no user, password, ? or #; the key is in TECHO_EMBED_KEY")
		return e
	}
	e.URL = address
	e.Model, source = p.get("embed-model")
	if len(e.Model) > maxModelName || legible.Control(e.Model) || !utf8.ValidString(e.Model) {
		p.refuse("embed-model", source, "must be the name of a model, at most %d bytes", maxModelName)
		e.Model = ""
	}
	key, command := strings.TrimSpace(p.sys.Getenv("TECHO_EMBED_KEY")), ""
	if key == "" {
		command, _ = p.standing("embed-key-command")
	}
	e.Key = func(ctx context.Context) (string, error) { return keyOf(ctx, key, command) }
	return e
}

const (
	maxModelName = 200
	maxKey       = 8 << 10 // bytes that a command prints
)

// keyOf returns a key, or the one that a command prints.
func keyOf(ctx context.Context, key, command string) (string, error) {
	if command == "" {
		return key, nil
	}
	out, err := shell.Output(ctx, command)
	if err == nil && len(out) > maxKey {
		err = fmt.Errorf("it has more than %d bytes", maxKey)
	}
	if err != nil {
		return "", message.NewError("embed-key-command: %v", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Limits of the settings of the history.
const (
	maxHistoryDays  = 36500
	minHistoryBytes = 1 << 20
)

func (p *parser) history() (limits ledger.HistoryLimits) {
	if days, given := p.whole("history-days", 0, maxHistoryDays); given {
		limits.MaxAge, limits.Off = time.Duration(days)*24*time.Hour, days == 0
	}
	if size, given := p.whole("history-bytes", minHistoryBytes, math.MaxInt64); given {
		limits.MaxBytes = size
	}
	return limits
}

// whole reads a whole number; given is false for a setting without a value and
// for an invalid one.
func (p *parser) whole(name string, least, most int64) (n int64, given bool) {
	text, source := p.get(name)
	if text == "" && source != "--"+name {
		return 0, false
	}
	return p.number(name, source, text, least, most)
}

func (p *parser) number(name, source, text string, least, most int64) (n int64, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err == nil && n >= least && n <= most:
		return n, true
	case most == math.MaxInt64:
		p.refuse(name, source, "must be a whole number from %d, not %q", least, text)
	default:
		p.refuse(name, source, "must be a whole number from %d to %d, not %q", least, most, text)
	}
	return 0, false
}

// maxBuffer limits the minutes around an event, as the field of cal suggest does.
const maxBuffer = 480

// work reads the settings for suggested times.
func (p *parser) work() (w tools.WorkingHours) {
	if text, source := p.get("working-hours"); text != "" || source == "--working-hours" {
		from, to, _ := strings.Cut(text, "-")
		var ok1, ok2 bool
		w.From, ok1 = dates.Clock(from)
		w.To, ok2 = dates.Clock(to)
		if !ok1 || !ok2 || w.From == w.To {
			p.refuse("working-hours", source, "must be hours such as 09:00-17:30, not %q", text)
			w.From, w.To = 0, 0
		}
	}
	days, source := p.get("working-days")
	if days != "" && days != "all" && days != "work" {
		for name := range strings.SplitSeq(days, ",") {
			if _, ok := dates.Weekday(strings.TrimSpace(name)); !ok {
				p.refuse("working-days", source, "must be all, work or weekdays such as mon,tue, not %q", days)
				return w
			}
		}
	}
	w.Days = days
	buffer, _ := p.whole("event-buffer", 0, maxBuffer)
	w.Buffer = int(buffer)
	return w
}

// turns limits the calls in one turn of a conversation.
type turns struct {
	turn string // the host's name for it, or ""
	max  int
}

const maxTurnName = 128

// turns reads the settings for a command. A flag cannot exceed the limit of the person in
// the environment, nor leave the turn that the host set there: a model may have written it.
func (p *parser) turns(command []string) turns {
	flag, given := p.flags["turn"]
	t := turns{turn: flag, max: tools.DefaultMaxPerTurn}
	source := "--turn"
	host, variable := p.sys.Getenv(FindSetting("turn").Env), FindSetting("turn").Env
	switch {
	case host == "", len(command) > 0 && command[0] == "serve": // its clients have turns of their own
	case given && flag != host:
		p.refuse("turn", source, "must be the turn of %s", variable)
	default:
		t.turn, source = host, variable
	}
	if given && flag == "" || len(t.turn) > maxTurnName || !utf8.ValidString(t.turn) {
		p.refuse("turn", source, "must be UTF-8 of 1 to %d bytes", maxTurnName)
	}
	limit := FindSetting("max-per-turn")
	flag, given = p.flags[limit.Name]
	if given {
		if n, ok := p.number(limit.Name, "--"+limit.Name, flag, 1, math.MaxInt64); ok {
			t.max = int(n)
		}
	}
	if text, source := p.standing(limit.Name); text != "" {
		if n, ok := p.number(limit.Name, source, text, 1, math.MaxInt64); ok && (!given || int(n) < t.max) {
			t.max = int(n)
		}
	}
	return t
}

func (s *Run) caller() tools.Caller {
	client, limit := s.ClientName, s.Options.turns.max
	if client == "" {
		client = tools.ByCommand
	}
	if !s.Served && s.Options.turns.turn == "" {
		limit = 0 // commands come from persons, scripts and any number of agents, also through a server
	}
	return tools.Caller{
		Client: client, Turn: s.Options.turns.turn, MaxPerTurn: limit,
		Vouched: s.Vouched, Secret: s.SecretGiven,
	}
}

// ForgetTurn removes the turn that the host has set for the process: the clients of a server
// have turns of their own.
func ForgetTurn(s *Run) { s.Options.turns.turn = "" }
