package commands

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones also where the machine has none
	"unicode/utf8"

	"golang.org/x/net/http/httpproxy"

	"techo/store"
	"techo/tools"
)

// setting is one global flag: it may stand before or after the command, and
// most have an environment variable.
type setting struct {
	name  string
	short string
	env   string
	value string // what the help calls its value; "" is a switch
	about tools.Say

	only []string // the commands that have it, nil for all
}

// settings are the global flags, in the order of the help.
var settings = []setting{
	{name: "store", env: "TECHO_STORE", value: "DIR", about: tools.Say{EN: "The store's folder (default: the nearest .techo, else $XDG_DATA_HOME/techo)", JA: "ストアのフォルダ（既定: 最も近い .techo、なければ $XDG_DATA_HOME/techo）"}},
	{name: "lang", env: "TECHO_LANG", value: "en|ja", about: tools.Say{EN: "Language of messages and texts", JA: "メッセージの言語"}},
	{name: "output", short: "o", env: "TECHO_OUTPUT", value: "json|text", about: tools.Say{EN: "Form of the answer (default: json)", JA: "出力形式（既定: json）"}},
	{name: "tz", env: "TECHO_TZ", value: "ZONE", about: tools.Say{EN: "Time zone, e.g. Asia/Tokyo", JA: "タイムゾーン（例: Asia/Tokyo）"}},
	{name: "user", env: "TECHO_USER", value: "ID", about: tools.Say{EN: "Whose memories", JA: "記憶の持ち主"}},
	{name: "root", env: "TECHO_ROOTS", value: "DIR", about: tools.Say{EN: "Confine the tools for files to this folder; repeat it for more (TECHO_ROOTS: separated as in PATH)", JA: "ファイルのツールをこのフォルダ内に限る（繰り返し可。TECHO_ROOTS は PATH と同じ区切り）"}},
	{name: "enable-memory", env: "TECHO_MEMORY", about: tools.Say{EN: "Offer agents the tools that read memories in full", JA: "記憶の全文を読むツールをエージェントに提供する"}},
	{name: "memory-context", env: "TECHO_MEMORY_CONTEXT", about: tools.Say{EN: "The prompt names memories (memory context)", JA: "プロンプトに記憶の参照がある（memory context）"}},
	{name: "memory-service-url", env: "TECHO_MEMORY_SERVICE_URL", value: "URL", about: tools.Say{EN: "Investigate memories of this service instead of the store's", JA: "ストアの代わりにこのサービスの記憶を調べる"}},
	{name: "timeout", env: "TECHO_TIMEOUT", value: "DURATION", about: tools.Say{EN: "Give up after this time, e.g. 30s; a bare number is seconds", JA: "制限時間（例: 30s。数字だけなら秒）"}},
	{name: "max-bytes", env: "TECHO_MAX_BYTES", value: "N", about: tools.Say{EN: "Shorten a result that has more bytes, and say how to get the rest", JA: "結果がこのバイト数を超えたら短縮し、続きの取得方法を示す"}},
	{name: "fields", value: "a,b.c", about: tools.Say{EN: "Keep only these fields of the result", JA: "結果のうち残す項目"}},
	{name: "idempotency-key", value: "KEY", about: tools.Say{EN: "Do it once, however often it is called with this key", JA: "同じキーでは一度だけ実行する"}},
	{name: "allow-private", only: []string{"web fetch", "call", "mcp", "serve"}, about: tools.Say{EN: "Also fetch from addresses that are not on the public internet", JA: "公開されていないアドレスからも取得する"}},
	{name: "save", value: "FILE", only: []string{"web fetch"}, about: tools.Say{EN: "Save the body to a file", JA: "本体をファイルに保存する"}},
}

func findSetting(name string) *setting {
	for i := range settings {
		if s := &settings[i]; s.name == name || s.short != "" && s.short == name {
			return s
		}
	}
	return nil
}

// fits reports whether a command has the setting.
func (s *setting) fits(c *command) bool {
	return s.only == nil || c != nil && slices.Contains(s.only, c.Command)
}

// chosen are the settings of one run.
type chosen struct {
	lang     tools.Lang
	zone     *time.Location
	text     bool
	store    string // "" until storePath finds it
	user     string
	roots    []string // absolute and without links; none confines nothing
	memory   tools.Memory
	timeout  time.Duration
	most     int // bytes of a result; 0 is without end
	fields   []string
	key      string
	now      func() time.Time
	internet tools.Web
}

// choose reads the settings: a flag beats the environment beats the default.
// What can be understood is chosen even when something else is wrong, so that
// the faults are told in the right language and form.
func (w World) choose(flags map[string]string, roots []string) (chosen, []tools.Detail) {
	get := func(name string) (value, source string) {
		if v, ok := flags[name]; ok {
			return v, "--" + name
		}
		if s := findSetting(name); s.env != "" {
			return w.Getenv(s.env), s.env
		}
		return "", ""
	}
	c := chosen{now: w.Now}
	c.lang = w.language(first(get("lang")))
	env := &tools.Env{Lang: c.lang}
	var faults []tools.Detail
	wrong := func(path, source string, message tools.Say, args ...any) {
		text := env.Say(message, args...)
		if source != "--"+path { // else the path says it
			text = source + " " + text
		}
		text = strings.TrimPrefix(text, "は ")
		faults = append(faults, tools.Detail{Path: "/" + path, Message: text})
	}

	output, source := get("output")
	switch output {
	case "text":
		c.text = true
	case "json", "":
	default:
		wrong("output", source, tools.Say{EN: "must be json or text, not %q", JA: "は json か text にしてください（%q は不可）"}, output)
	}
	zone, source := get("tz")
	var err error
	if c.zone, err = w.findZone(zone, c.lang); err != nil {
		wrong("tz", source, tools.Say{EN: "must be a time zone such as Asia/Tokyo, not %q", JA: "は Asia/Tokyo のようなタイムゾーンにしてください（%q は不可）"}, zone)
		c.zone = time.UTC
	}
	if timeout, source := get("timeout"); timeout != "" || source == "--timeout" {
		if c.timeout, err = parseTimeout(timeout); err != nil {
			wrong("timeout", source, tools.Say{EN: "must be a time such as 30s or 2m, not %q", JA: "は 30s や 2m のような時間にしてください（%q は不可）"}, timeout)
		}
	}
	if most, source := get("max-bytes"); most != "" || source == "--max-bytes" {
		if c.most, err = strconv.Atoi(most); err != nil || c.most < tools.MinBytes {
			wrong("max-bytes", source, tools.Say{EN: "must be a whole number from %d, not %q", JA: "は %d 以上の整数にしてください（%q は不可）"}, tools.MinBytes, most)
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
			wrong("now", "TECHO_NOW", tools.Say{EN: "must be a time such as 2026-01-02T15:04:05Z, not %q", JA: "は 2026-01-02T15:04:05Z のような時刻にしてください（%q は不可）"}, now)
		}
		c.now = func() time.Time { return t }
	}
	var outside []string
	if c.roots, outside, source = w.findRoots(roots); len(outside) > 0 {
		wrong("root", source, tools.Say{EN: "must be a folder, not %q", JA: "はフォルダにしてください（%q は不可）"}, outside[0])
	}
	c.store, _ = get("store")
	if v, ok := flags["store"]; ok && v == "" {
		wrong("store", "--store", tools.Say{EN: "must not be empty", JA: "は空にできません"})
	}
	c.key, _ = get("idempotency-key")
	if v, ok := flags["idempotency-key"]; ok && v == "" {
		wrong("idempotency-key", "--idempotency-key", tools.Say{EN: "must not be empty", JA: "は空にできません"})
	}
	named, source := get("user")
	switch {
	case !utf8.ValidString(named):
		wrong("user", source, tools.Say{EN: "is not valid UTF-8", JA: "は UTF-8 として正しくありません"})
	case !store.UserName(named):
		wrong("user", source, tools.Say{EN: "has more than 256 bytes", JA: "は256バイト以内にしてください"})
	}
	c.user = w.findUser(named)
	c.memory.Named = named != ""
	chooseMemory(&c.memory, get, wrong)
	c.internet = w.web(flags)
	return c, faults
}

// chooseMemory reads the settings about memories.
func chooseMemory(m *tools.Memory, get func(string) (value, source string), wrong func(path, source string, message tools.Say, args ...any)) {
	for _, s := range []struct {
		name string
		on   *bool
	}{{"enable-memory", &m.On}, {"memory-context", &m.InPrompt}} {
		text, source := get(s.name)
		if text == "" {
			continue
		}
		var err error
		if *s.on, err = strconv.ParseBool(text); err != nil {
			wrong(s.name, source, tools.Say{EN: "must be true or false, not %q", JA: "は true か false にしてください（%q は不可）"}, text)
		}
	}
	service, source := get("memory-service-url")
	m.Service = service
	if u, err := url.Parse(service); service != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		wrong("memory-service-url", source, tools.Say{EN: "must be an address such as http://127.0.0.1:8080, not %q", JA: "は http://127.0.0.1:8080 のような URL にしてください（%q は不可）"}, service)
	}
}

// findRoots finds the folders that --root names, else TECHO_ROOTS. What is no
// folder comes back in wrong: nobody who asked to be confined is left without.
func (w World) findRoots(said []string) (roots, wrong []string, source string) {
	source = "--root"
	if len(said) == 0 {
		source = findSetting("root").env
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
		real, err := filepath.EvalSymlinks(w.path(dir))
		if st, e := os.Stat(real); dir == "" || err != nil || e != nil || !st.IsDir() {
			wrong = append(wrong, dir)
			continue
		}
		roots = append(roots, real)
	}
	return roots, wrong, source
}

func first(value, _ string) string { return value }

func (w World) language(value string) tools.Lang {
	for _, v := range []string{value, w.Getenv("LC_ALL"), w.Getenv("LC_MESSAGES"), w.Getenv("LANG")} {
		if v == "" {
			continue
		}
		if strings.HasPrefix(strings.ToLower(v), "ja") {
			return tools.Japanese
		}
		break
	}
	return tools.English
}

// findZone finds the time zone: what was said, else TZ, else the system's, else
// the one that the language suggests.
func (w World) findZone(name string, lang tools.Lang) (*time.Location, error) {
	switch {
	case strings.EqualFold(name, "local"):
		return nil, fmt.Errorf("not a zone's name: %s", name)
	case name != "":
		return time.LoadLocation(name)
	}
	if tz := strings.TrimPrefix(w.Getenv("TZ"), ":"); tz != "" {
		if zone, err := time.LoadLocation(tz); err == nil {
			return zone, nil
		}
		return time.Local, nil
	}
	if _, err := os.Stat("/etc/localtime"); err == nil || filepath.Separator != '/' {
		return namedLocal(), nil
	}
	if lang == tools.Japanese {
		return time.LoadLocation("Asia/Tokyo")
	}
	return time.UTC, nil
}

// namedLocal is the system's zone under its name, which events are kept with;
// a system that does not tell has none.
func namedLocal() *time.Location {
	target, err := os.Readlink("/etc/localtime")
	if err != nil {
		return time.Local
	}
	if _, name, ok := strings.Cut(filepath.ToSlash(target), "zoneinfo/"); ok {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone
		}
	}
	return time.Local
}

func parseTimeout(text string) (time.Duration, error) {
	d, err := tools.ParseDuration(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("not above zero: %s", text)
	}
	return d, err
}

func (w World) findUser(value string) string {
	for _, v := range []string{value, w.Getenv("USER"), w.Getenv("LOGNAME"), w.Getenv("USERNAME")} {
		if v != "" && store.UserName(v) {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" && store.UserName(u.Username) {
		return u.Username // of a job or a container, which are told no name
	}
	return "default"
}

// workspaceName is the folder that makes the folder around it a workspace.
const workspaceName = ".techo"

// errNoHome says that nothing tells where a store could be.
var errNoHome = errors.New("neither TECHO_STORE, XDG_DATA_HOME nor HOME is set")

// storePath finds the store: what was said, else the nearest workspace, else
// the person's own.
func (w World) storePath(said string) (string, error) {
	if said != "" {
		if strings.Contains(said, "://") {
			return said, nil
		}
		return w.path(said), nil
	}
	for dir := w.Dir; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, workspaceName)
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			return path, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	data := w.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) { // the specification of XDG has relative ones ignored
		home := w.home()
		if home == "" {
			return "", errNoHome
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "techo"), nil
}

// home is the person's own folder, "" when nobody says.
func (w World) home() string {
	if home := w.Getenv("HOME"); home != "" {
		return home
	}
	return w.Getenv("USERPROFILE")
}

// config is the folder that programs keep a person's settings in.
func (w World) config() string {
	switch dir := w.Getenv("XDG_CONFIG_HOME"); {
	case filepath.IsAbs(dir):
		return dir
	case w.home() != "":
		return filepath.Join(w.home(), ".config")
	}
	return ""
}

// path makes a path that a person gave absolute.
func (w World) path(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(w.Dir, path)
}

// web says what may be done on the internet.
func (w World) web(flags map[string]string) tools.Web {
	proxies := &httpproxy.Config{
		HTTPProxy:  w.either("HTTP_PROXY", "http_proxy"),
		HTTPSProxy: w.either("HTTPS_PROXY", "https_proxy"),
		NoProxy:    w.either("NO_PROXY", "no_proxy"),
		CGI:        w.Getenv("REQUEST_METHOD") != "",
	}
	web := tools.Web{Agent: program + "/" + version, AllowPrivate: flags["allow-private"] == "true"}
	if proxies.HTTPProxy != "" || proxies.HTTPSProxy != "" {
		web.Proxy = proxies.ProxyFunc()
	}
	for host := range strings.SplitSeq(w.Getenv("TECHO_WEB_ALLOW"), ",") {
		if host = strings.TrimSpace(host); host != "" {
			web.Allow = append(web.Allow, host)
		}
	}
	if file := flags["save"]; file != "" {
		web.Save = w.path(file)
	}
	return web
}

func (w World) either(name, other string) string {
	if v := w.Getenv(name); v != "" {
		return v
	}
	return w.Getenv(other)
}
