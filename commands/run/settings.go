package run

import (
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"techo/commands/input"
	"techo/commands/system"
	"techo/internal/legible"
	"techo/store"
	"techo/tools"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpproxy"
)

// setting is a global flag, which may stand before or after the command.
type setting struct {
	Name  string
	Short string
	Env   string
	Value string // the placeholder in the help; "" is a switch
	About tools.Text

	Only []string // the commands that accept it; nil is all
}

// Settings are the global flags, in the order of the help.
var Settings = []setting{
	{Name: "store", Env: "TECHO_STORE", Value: "DIR",
		About: "The store's folder (default: the nearest trusted .techo, else $XDG_DATA_HOME/techo)"},
	{Name: "lang", Env: "TECHO_LANG", Value: "en|ja", About: "Language of messages and texts"},
	{Name: "output", Short: "o", Env: "TECHO_OUTPUT", Value: "json|text", About: "Form of the answer (default: json)"},
	{Name: "errors-to-stderr", Env: "TECHO_ERRORS_TO_STDERR",
		About: "Unless stdout is a terminal, also print an error as one line on stderr, for cron"},
	{Name: "tz", Env: "TECHO_TZ", Value: "ZONE", About: "Time zone, e.g. Asia/Tokyo"},
	{Name: "user", Env: "TECHO_USER", Value: "ID", About: "Whose memories"},
	{Name: "root", Env: "TECHO_ROOTS", Value: "DIR",
		About: "Confine the tools for files to this folder; repeat it for more (TECHO_ROOTS: separated as in PATH)"},
	{Name: "enable-memory", Env: "TECHO_MEMORY", About: "Offer agents the tools that read memories in full"},
	{Name: "memory-context", Env: "TECHO_MEMORY_CONTEXT", About: "The prompt names memories (memory context)"},
	{Name: "memory-service-url", Env: "TECHO_MEMORY_SERVICE_URL", Value: "URL",
		About: "Investigate memories of this service instead of the store's; TECHO_MEMORY_SERVICE_TOKEN is sent to " +
			"it as a bearer token"},
	{Name: "timeout", Env: "TECHO_TIMEOUT", Value: "DURATION",
		About: "Give up after this time, e.g. 30s; a bare number is seconds"},
	{Name: "max-bytes", Env: "TECHO_MAX_BYTES", Value: "N",
		About: "Shorten a result that has more bytes, and say how to get the rest"},
	{Name: "fields", Value: "a,b.c", About: "Keep only these fields of the result"},
	{Name: "idempotency-key", Value: "KEY", About: "Do it once, however often it is called with this key"},
	{Name: "turn", Value: "T", Only: []string{"memory investigate", "call", "mcp"},
		About: "The turn of the conversation, in which calls of memory investigate are counted; without it the last " +
			"60 seconds are a turn"},
	{Name: "max-per-turn", Env: "TECHO_MAX_PER_TURN", Value: "N",
		Only:  []string{"memory investigate", "call", "mcp", "serve"},
		About: "Calls of memory investigate in one turn (default: 2); the flag can only lower what the environment sets"},
	{Name: "allow-private", Only: []string{"web fetch", "call", "mcp", "serve"},
		About: "Also fetch from addresses that are not on the public internet"},
	{Name: "save", Value: "FILE", Only: []string{"web fetch"}, About: "Save the body to a file"},
	{Name: "force", Only: []string{"web fetch"}, About: "Let --save replace a file"},
}

func FindSetting(name string) *setting {
	for i := range Settings {
		if s := &Settings[i]; s.Name == name || s.Short != "" && s.Short == name {
			return s
		}
	}
	return nil
}

// Fits reports whether a command has the setting.
func (s *setting) Fits(command string) bool {
	return s.Only == nil || command != "" && slices.Contains(s.Only, command)
}

// Options are the settings of one run.
type Options struct {
	lang     tools.Lang
	zone     *time.Location
	text     bool
	errors   bool   // also print errors on stderr
	Store    string // "" for the default
	User     string
	Roots    []string // absolute, without links; none means no confinement
	memory   tools.Memory
	Timeout  time.Duration
	maxBytes int // bytes of a result; 0 is no limit
	fields   []string
	Key      string
	Clock    func() time.Time
	internet tools.Web
	turns    turns
}

// Parse reads the settings: a flag beats the environment beats the default.
// What can be understood is chosen even when something else is wrong, so that
// the faults are told in the right language and form.
func Parse(w system.System, flags map[string]string, roots []string) (Options, []tools.Detail) {
	get := func(name string) (value, source string) {
		if v, ok := flags[name]; ok {
			return v, "--" + name
		}
		if s := FindSetting(name); s.Env != "" {
			return w.Getenv(s.Env), s.Env
		}
		return "", ""
	}
	c := Options{Clock: w.Now}
	language, languageSource := get("lang")
	lang, known := findLanguage(w, language)
	c.lang = lang
	env := &tools.Env{Lang: lang}
	var faults []tools.Detail
	wrong := func(path, source string, message tools.Text, args ...any) {
		text := env.Localize(message, args...)
		if source != "--"+path { // otherwise the path names the flag
			text = source + " " + text
		}
		text = strings.TrimPrefix(text, "は ")
		faults = append(faults, tools.Detail{Path: "/" + path, Message: text})
	}

	if !known {
		wrong("lang", languageSource, "must be en or ja, not %q", language)
	}
	output, source := get("output")
	switch output {
	case "text":
		c.text = true
	case "json", "":
	default:
		wrong("output", source, "must be json or text, not %q", output)
	}
	c.errors = chooseSwitch("errors-to-stderr", get, wrong)
	c.zone = chooseZone(w, c.lang, get, wrong)
	var err error
	if timeout, source := get("timeout"); timeout != "" || source == "--timeout" {
		if c.Timeout, err = input.ParseTimeout(timeout); err != nil {
			wrong("timeout", source, "must be a time such as 30s or 2m, not %q", timeout)
		}
	}
	if most, source := get("max-bytes"); most != "" || source == "--max-bytes" {
		if c.maxBytes, err = strconv.Atoi(most); err != nil || c.maxBytes < tools.MinBytes {
			wrong("max-bytes", source, "must be a whole number from %d, not %q", tools.MinBytes, most)
		}
	}
	if fields, _ := get("fields"); fields != "" {
		for f := range strings.SplitSeq(fields, ",") {
			c.fields = append(c.fields, strings.TrimSpace(f))
		}
	}
	if now := w.Getenv("TECHO_NOW"); now != "" {
		t, err := time.Parse(time.RFC3339Nano, now)
		if err != nil {
			wrong("now", "TECHO_NOW", "must be a time such as 2026-01-02T15:04:05Z, not %q", now)
		}
		c.Clock = func() time.Time { return t }
	}
	var outside []string
	if c.Roots, outside, source = findRoots(w, roots); len(outside) > 0 {
		wrong("root", source, "must be a folder, not %q", outside[0])
	}
	c.Store, _ = get("store")
	if v, ok := flags["store"]; ok && v == "" {
		wrong("store", "--store", "requires a value")
	}
	c.Key, _ = get("idempotency-key")
	if v, ok := flags["idempotency-key"]; ok && v == "" {
		wrong("idempotency-key", "--idempotency-key", "requires a value")
	}
	named := chooseUser(get, wrong)
	c.User = findUser(w, named)
	c.memory.Named = named != ""
	chooseMemory(&c.memory, get, wrong)
	c.memory.Token = strings.TrimSpace(w.Getenv("TECHO_MEMORY_SERVICE_TOKEN"))
	c.internet = web(w, flags)
	checkSwitches(flags, wrong)
	c.turns = chooseTurns(w, flags, wrong)
	return c, faults
}

// getter returns the value of a setting and its source.
type getter func(name string) (value, source string)

// refuser adds a fault of a setting.
type refuser func(path, source string, message tools.Text, args ...any)

// chooseZone reads the time zone.
func chooseZone(w system.System, lang tools.Lang, get getter, wrong refuser) *time.Location {
	name, source := get("tz")
	find := namedZone
	if name == "" {
		name, source, find = w.Getenv("TZ"), "TZ", systemZone
	}
	if name == "" {
		return defaultZone(lang)
	}
	loc, err := find(name)
	if err != nil {
		wrong("tz", source, "must be a time zone such as Asia/Tokyo, not %q", name)
		return time.UTC
	}
	return loc
}

// checkSwitches refuses values of switches that have no environment variable.
func checkSwitches(flags map[string]string, wrong refuser) {
	for _, s := range Settings {
		v, given := flags[s.Name]
		if given && s.Value == "" && s.Env == "" && v != "true" && v != "false" {
			wrong(s.Name, "--"+s.Name, "must be true or false, not %q", v)
		}
	}
}

// chooseUser reads the name of the user, "" for the default.
func chooseUser(get getter, wrong refuser) string {
	named, source := get("user")
	switch {
	case !utf8.ValidString(named):
		wrong("user", source, "is not valid UTF-8")
	case named != "" && legible.Blank(named):
		wrong("user", source, "must not be blank")
	case legible.Control(named):
		wrong("user", source, "must not have control characters")
	case !store.UserName(named):
		wrong("user", source, "has more than 256 bytes")
	}
	return named
}

// chooseSwitch reads a boolean setting.
func chooseSwitch(name string, get getter, wrong refuser) bool {
	text, source := get(name)
	if text == "" {
		return false
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		wrong(name, source, "must be true or false, not %q", text)
	}
	return on
}

// chooseMemory reads the settings about memories.
func chooseMemory(m *tools.Memory, get getter, wrong refuser) {
	m.On = chooseSwitch("enable-memory", get, wrong)
	m.InPrompt = chooseSwitch("memory-context", get, wrong)
	service, source := get("memory-service-url")
	m.Service = service
	if u, err := url.Parse(service); service != "" &&
		(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		wrong("memory-service-url", source, "must be an address such as http://127.0.0.1:8080, not %q", service)
	}
}

// findRoots returns the folders of --root, or else of TECHO_ROOTS. wrong are
// those that are not folders: they must be an error, because a run without roots
// is not confined.
func findRoots(w system.System, said []string) (roots, wrong []string, source string) {
	source = "--root"
	if len(said) == 0 {
		source = FindSetting("root").Env
		list := w.Getenv(source)
		if list == "" {
			return nil, nil, source
		}
		for _, dir := range filepath.SplitList(list) {
			if dir != "" {
				said = append(said, dir)
			}
		}
		if len(said) == 0 {
			return nil, []string{list}, source
		}
	}
	for _, dir := range said {
		real, err := filepath.EvalSymlinks(w.Path(dir))
		if st, e := os.Stat(real); dir == "" || err != nil || e != nil || !st.IsDir() {
			wrong = append(wrong, dir)
			continue
		}
		roots = append(roots, real)
	}
	return roots, wrong, source
}

func findUser(w system.System, value string) string {
	for _, v := range []string{value, w.Getenv("USER"), w.Getenv("LOGNAME"), w.Getenv("USERNAME")} {
		if v != "" && store.UserName(v) {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" && store.UserName(u.Username) {
		return u.Username // in a job or a container without these variables
	}
	return "default"
}

// web returns the options for the internet.
func web(w system.System, flags map[string]string) tools.Web {
	proxies := &httpproxy.Config{
		HTTPProxy:  w.Either("HTTP_PROXY", "http_proxy"),
		HTTPSProxy: w.Either("HTTPS_PROXY", "https_proxy"),
		NoProxy:    w.Either("NO_PROXY", "no_proxy"),
		CGI:        w.Getenv("REQUEST_METHOD") != "",
	}
	web := tools.Web{Agent: system.Name + "/" + system.Version, AllowPrivate: flags["allow-private"] == "true"}
	if proxies.HTTPProxy != "" || proxies.HTTPSProxy != "" {
		web.Proxy = proxies.ProxyFunc()
	}
	for host := range strings.SplitSeq(w.Getenv("TECHO_WEB_ALLOW"), ",") {
		if host = strings.TrimSpace(host); host != "" {
			web.Allow = append(web.Allow, host)
		}
	}
	if file := flags["save"]; file != "" {
		web.Save, web.Overwrite = w.Path(file), flags["force"] == "true"
	}
	return web
}
