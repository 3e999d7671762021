package run

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"techo/commands/catalogue"
	"techo/commands/remote"
	"techo/internal/zone"
	"techo/store/ledger"
	"techo/store/question"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/person"
)

// here are the families of tools that run on this machine even if the store is
// elsewhere: they use the files and the terminal of the caller.
var here = []string{"fs", "grep", "glob", "ask"}

// toFolder is the field that names a folder of the caller, for the files of the memories
// that a call reads. The server returns the memories, and they are written here.
const toFolder = "to_dir"

// ServerAddress returns the server that calls are sent to: the named one, or the one
// that the person logged in to; "" without one. A store that was named and a
// workspace come before a login.
func (s *Run) ServerAddress() (string, error) {
	if remote.IsAddress(s.Options.Store) {
		return s.Options.Store, nil
	}
	if s.Options.Store != "" || s.Remote || s.System.State() == "" {
		return "", nil
	}
	l, err := remote.ReadLogins(s.System.State())
	if err != nil || l.Current == "" || NearestWorkspace(s.System) != "" {
		return "", err
	}
	return l.Current, nil
}

// CallTool runs a call: here, or on the server of the store. A call with problems runs
// here, which reports all of them, and one that saves a web page here, whose file is here.
func (s *Run) CallTool(ctx context.Context, t *tools.Tool, call tools.Call) (*tools.Result, *tools.Error) {
	if !s.Options.purge {
		return callTool(ctx, s, t, call)
	}
	assurance, e := confirmPurge(ctx, s, t, call)
	if e != nil {
		return nil, e
	}
	result, e := callTool(ctx, s, t, call)
	if e == nil {
		NotePurge(ctx, s.Env(), t, assurance)
	}
	return result, e
}

// NotePurge records in the history that something was purged, and nothing about what.
func NotePurge(ctx context.Context, env *tools.Env, t *tools.Tool, assurance question.Assurance) {
	ctx = ledger.WithOrigin(ctx, ledger.Origin{Tool: cmp.Or(t.Name, t.Command), By: env.User,
		Client: env.Caller.Client, Session: env.Caller.Turn})
	person.Note(ctx, env, "--purge", assurance)
}

func callTool(ctx context.Context, s *Run, t *tools.Tool, call tools.Call) (*tools.Result, *tools.Error) {
	isHere := catalogue.InGroups(t, here) || tools.RunsHere(t, s.Env(), t.Reader().Converted(call.Input))
	if t.Name == "" && t.Remote == "" && !isHere || len(call.Problems) > 0 {
		return t.Invoke(ctx, s.Env(), call)
	}
	address, err := s.ServerAddress()
	switch {
	case err != nil:
		return nil, t.AsError(s.Env(), err)
	case address == "" && t.Remote != "":
		return t.Invoke(ctx, s.Env(), call)
	case address == "":
		return t.Invoke(ctx, s.onThisMachine(s.Options.Store).Env(), call)
	case isHere, s.Options.web.Save != "":
		return t.Invoke(ctx, s.onThisMachine("").Env(), call)
	}
	return callServer(ctx, s, address, t, call)
}

// confirmPurge lets the person confirm a valid call with --purge, which hides what was done.
func confirmPurge(ctx context.Context, s *Run, t *tools.Tool, call tools.Call) (question.Assurance, *tools.Error) {
	env := s.Env()
	if _, e := t.Accept(env, call.Input, call.Problems...); e != nil {
		return question.None, nil // the call reports it
	}
	assurance, err := person.Confirm(ctx, env, env.Localize("Erase earlier values from the history, so that no one "+
		"can see or restore them"))
	if err == nil {
		return assurance, nil
	}
	return assurance, t.AsError(env, err)
}

// onThisMachine returns a copy of a run for a store of this machine, "" for the default
// one. It looks for no server again.
func (s *Run) onThisMachine(store string) *Run {
	r := *s
	r.Options.Store, r.local = store, true
	return &r
}

func callServer(ctx context.Context, s *Run, address string, t *tools.Tool, call tools.Call) (
	*tools.Result, *tools.Error) {
	env := s.Env()
	server, e := s.serverOf(address)
	if e != nil {
		return nil, t.AsError(env, e)
	}
	if call.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, call.Timeout, tools.ErrTimeout)
		defer stop()
	}
	if t.Remote != "" {
		result, e := server.Transfer(ctx, env, AtServer(t), call, s.headerOf(call))
		if e != nil {
			e.Tool = ""
		}
		return result, e
	}
	input := withoutFolder(t.Reader().Converted(call.Input))
	if input == nil {
		return server.Call(ctx, env, t, call, s.headerOf(call))
	}
	far := tools.Call{Input: input, NoText: true, SkipWhen: call.SkipWhen}
	result, e := server.Call(ctx, env, t, far, s.headerOf(far))
	if e != nil {
		return nil, e
	}
	here := *env
	here.Memory.Received = result.JSON
	here.Caller.MaxPerTurn = 0 // the server has counted the call
	call.SkipWhen = true
	return t.Invoke(ctx, &here, call)
}

// AtServer returns a command that also works through a server as the tool of the server.
func AtServer(t *tools.Tool) *tools.Tool {
	far := *t
	far.Name = t.Remote
	return &far
}

// Transfer calls a tool for imports and exports of the server at an address, and reads its
// result.
func Transfer(ctx context.Context, s *Run, address string, t *tools.Tool, in, out any) error {
	env := s.Env()
	server, e := s.serverOf(address)
	if e != nil {
		return e
	}
	input, err := jsontree.Marshal(in)
	if err != nil {
		return err
	}
	call := tools.Call{Input: input, NoText: true}
	result, e := server.Transfer(ctx, env, t, call, s.headerOf(call))
	if e != nil {
		return e
	}
	return json.Unmarshal(result.JSON, out)
}

// withoutFolder returns an input without the folder of this machine that it names, or nil
// if it names none. The server refuses an input that is not JSON.
func withoutFolder(input []byte) []byte {
	var given map[string]json.RawMessage
	if json.Unmarshal(input, &given) != nil || given[toFolder] == nil {
		return nil
	}
	delete(given, toFolder)
	rest, err := jsontree.Marshal(given)
	if err != nil {
		return nil
	}
	return rest
}

// serverOf returns the server for a call, or an error that names the flags of the command line
// that would have no effect there. As variables they configure this machine and do not refuse
// calls to a server, except for TECHO_NOW: it would change what the call means.
func (s *Run) serverOf(address string) (*remote.Server, *tools.Error) {
	var refused []string
	if s.Options.given {
		refused = append(refused, "TECHO_NOW")
	}
	for _, setting := range Settings {
		if v, given := s.Given.Settings[setting.Name]; setting.Own && given && (setting.Value != "" || v == "true") {
			refused = append(refused, "--"+setting.Name)
		}
	}
	if len(refused) > 0 {
		return nil, s.onlyHere("The server %s does not take %s", address, strings.Join(refused, ", "))
	}
	return s.Server(address)
}

// Server returns the server at an address, with the token for it.
func (s *Run) Server(address string) (*remote.Server, *tools.Error) {
	env := s.Env()
	if e := s.checkZone(); e != nil {
		return nil, e
	}
	token := strings.TrimSpace(s.System.Getenv("TECHO_TOKEN"))
	if token == "" {
		l, err := remote.ReadLogins(s.System.State())
		if err != nil {
			return nil, tools.AsError(env, err)
		}
		token = l.Tokens[remote.Normal(address, s.System.Path)]
	}
	return remote.New(env, address, token)
}

// headerOf returns the settings of this run as the header of a request.
func (s *Run) headerOf(call tools.Call) http.Header {
	o, h := &s.Options, http.Header{}
	set := func(setting, value string) {
		if value != "" {
			h.Set(FindSetting(setting).Header, value)
		}
	}
	h.Set("Content-Type", "application/json")
	set("lang", string(o.lang))
	if zone, ok := s.remoteZone(); ok { // see checkZone
		set("tz", zone)
	}
	set("max-bytes", strconv.Itoa(max(call.MaxBytes, 0)))
	set("fields", strings.Join(call.Fields, ","))
	if call.Compact {
		set("compact", "true")
	}
	if o.text && !call.NoText {
		set("output", "text")
	}
	if o.named { // a token names its user
		set("user", o.User)
	}
	set("turn", o.turns.turn)
	set("working-hours", o.hours)
	set("event-buffer", o.buffer)
	set("working-days", o.workdays)
	if o.purge {
		h.Set(remote.PurgeHeader, "true")
	}
	return h
}

// CheckHere returns an error if the store is behind a server, for a command that needs the
// store itself.
func CheckHere(s *Run) *tools.Error {
	address, err := s.ServerAddress()
	env := s.Env()
	switch {
	case err != nil:
		return tools.AsError(env, err)
	case address == "":
		return nil
	}
	return s.onlyHere("%s does not work through the server %s", s.Name(), address)
}

func (s *Run) onlyHere(message tools.Text, args ...any) *tools.Error {
	local, _, err := FindStore(s.System, "")
	if err != nil {
		local = "DIR"
	}
	env := s.Env()
	return env.Fail(tools.Unavailable, message, args...).WithHint(
		env.Hint("Run it on the server, or with a store of this machine: %s",
			tools.Flag("store", local)))
}

// localName is the name of a zone of this machine that has none elsewhere.
const localName = "Local"

// remoteZone returns the name by which a server finds the zone of a run. A zone without a
// name, as of a rule in TZ or a file, is named like one with the same clock changes or, without
// any, by its offset.
func (s *Run) remoteZone() (name string, ok bool) {
	z, now := s.Options.zone, s.Options.Clock()
	if name := z.String(); name != "" && name != localName {
		if _, err := namedZone(name); err == nil {
			return name, true
		}
	}
	if like, ok := zone.Like(z); ok {
		return like.String(), true
	}
	_, offset := now.In(z).Zone()
	for month := range 12 {
		if _, other := now.AddDate(0, month, 0).In(z).Zone(); other != offset {
			return "", false
		}
	}
	name = zone.Fixed(offset).String()
	return name, name != ""
}

// checkZone returns an error if a server cannot find the zone of a run: it would read times
// in its own.
func (s *Run) checkZone() *tools.Error {
	if _, ok := s.remoteZone(); ok {
		return nil
	}
	env := s.Env()
	return env.Fail(tools.InvalidInput, "The server does not know the time zone of this machine").
		WithHint(env.Hint("Name one, e.g. %s", tools.Flag("tz", "Asia/Tokyo")))
}

// offsetZone returns the zone with a name such as UTC+09:00.
func offsetZone(name string) (*time.Location, bool) {
	loc, ok := zone.Find(name)
	return loc, ok && loc.String() == name
}
