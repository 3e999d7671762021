package tools

import (
	"context"
	"net/http"
	"os"
	"time"

	"techo/internal/confine"
	"techo/internal/membudget"
	"techo/store"
	"techo/store/space"
	"techo/tools/message"
)

// Env is everything outside its input that a tool may use. Choices that a model
// must not make, such as the user or the store, are here and never in the input.
type Env struct {
	Lang Lang
	Zone *time.Location
	Now  func() time.Time
	User string

	Named bool // User was configured, not guessed

	// Dir is the absolute working folder. Relative paths start there.
	Dir string

	// Roots opens, once, the folders that the file tools are confined to. An empty
	// list or a nil function means no confinement. Each root is named by its absolute
	// path without symbolic links. The interface closes them.
	Roots func() ([]*os.Root, error)

	// MaxBytes is the maximum size of the answer in bytes; 0 means unlimited. Invoke
	// cuts longer answers; a tool that respects MaxBytes can choose where to cut and
	// return the next position.
	MaxBytes int

	// Tools are all tools that the interface offers, also unavailable ones.
	Tools []*Tool

	// Form says that a form with labels asks for the fields, so that no error names a help page.
	Form bool

	// Naming is how the caller names tools; nil means by the commands of the shell.
	Naming *Naming

	Secrets        SecretPolicy
	secretWarnings []string // about the input of the call

	called *Tool    // the tool that Invoke runs
	key    *CallKey // the idempotency key of the call, or nil

	Sharing SharingSettings
	space   string // the shared space of the call, or ""
	onlyOwn bool   // the input excludes shared spaces

	// Purge makes the call erase the changed records from the history. Only a command
	// line chooses it.
	Purge bool

	Caller Caller

	// HTTP is the client for services that the person configured, such as a memory
	// service. nil means a default client without proxies.
	HTTP *http.Client

	// Room is the memory budget that the calls of this process share for large
	// documents; nil means unlimited.
	Room *membudget.Budget

	// Abandoned, if set, is called when Invoke returns before its tool has
	// ended. ended is called when the tool ends at last.
	Abandoned func() (ended func())

	// Open opens the store on first use. With write set it creates a missing store.
	// The interface that made the Env closes the store.
	Open func(ctx context.Context, write bool) (*store.Store, error)

	// Personal opens the person's own store for reading, if the store of the call is a workspace of theirs; nil
	// otherwise. It returns nil if there is none yet.
	Personal func(ctx context.Context) (*store.Store, error)

	// Where returns the folder of the store, which the file tools do not touch; nil
	// means that there is no store.
	Where func() (string, error)

	// Progress, unless nil, is called from time to time during long work. total is 0
	// when it is not known.
	Progress func(done, total int64)

	// Preparing, unless nil, is called from time to time while something is made that later
	// calls find made.
	Preparing func(what string)

	// Cache is the person's folder for what can be made again, such as compiled code; "" means
	// that nothing is kept.
	Cache string

	// The settings of families.
	Person    PersonSettings
	Ask       AskSettings
	Web       WebSettings
	Host      HostSettings
	Memory    MemorySettings
	Model     ModelSettings
	Calendars CalendarSettings
}

// Step reports progress if the interface displays it.
func (env *Env) Step(done, total int64) {
	if env.Progress != nil {
		env.Progress(done, total)
	}
}

// Doing reports preparations if the interface displays them.
func (env *Env) Doing(what Text) {
	if env.Preparing != nil {
		env.Preparing(env.Localize(what))
	}
}

// Store opens the store for a tool with this effect: the shared space of the call, or
// the user's own records, unless the token of the caller excludes them.
func (env *Env) Store(ctx context.Context, e Effect) (*store.Store, error) {
	if env.space == "" && !env.Sharing.Allows(space.Own) {
		return nil, env.tokenSpaces("")
	}
	st, err := env.Open(ctx, e != Reads)
	if err == nil && env.space != "" {
		st = store.In(st, env.space, env.User)
	}
	return st, err
}

// Minute formats an instant in the caller's zone for a person, to the minute.
func (env *Env) Minute(t time.Time) string { return t.In(env.Zone).Format("2006-01-02 15:04") }

// Time formats an instant in the caller's zone as RFC 3339. It adds milliseconds
// unless they are zero.
func (env *Env) Time(t time.Time) string {
	t = t.In(env.Zone)
	if t.Nanosecond()/int(time.Millisecond) == 0 {
		return t.Format(time.RFC3339)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}

// MinuteOf formats a result's time for a person, to the minute.
func (env *Env) MinuteOf(at string) string {
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return at
	}
	return env.Minute(t)
}

// Caller describes the caller, as far as the interface can determine. No input of a tool can
// change it.
type Caller struct {
	// Client names the session or client whose calls are counted together when the
	// host names no turn; ByCommand is any command.
	Client string

	// Turn is the conversation turn named by the host, or "".
	Turn string

	// MaxPerTurn limits the calls of a counted tool in one turn; 0 disables the limit.
	MaxPerTurn int

	// Secret reports whether the session of the page is unlocked by the person's secret.
	Secret bool

	// Vouched is the channel by which the interface itself got the answer from the person,
	// such as "elicitation". "" means that a command sent it.
	Vouched string
}

// ByCommand is the Caller.Client of commands.
const ByCommand = "command"

// DefaultMaxPerTurn applies unless the person or the host sets another limit.
const DefaultMaxPerTurn = 2

// Lang is a language of messages, Text a message in English.
type (
	Lang = message.Lang
	Text = message.Text
)

// The languages that code refers to by name.
const (
	English  = message.English
	Japanese = message.Japanese
)

// Localize returns a text in the caller's language, with its verbs filled in.
func (env *Env) Localize(text Text, args ...any) string { return env.Lang.Localize(text, args...) }

// Count returns a number with its noun: "1 event", "2 events". Both texts have
// one %d. Languages without a plural translate both texts alike.
func (env *Env) Count(n int, one, many Text) string {
	if n == 1 {
		return env.Localize(one, n)
	}
	return env.Localize(many, n)
}

// PastEnd says that a list of some length ends before the offset or cursor that was asked for.
func (env *Env) PastEnd(total int) string { return env.Localize("The list has only %d", total) }

// Cause describes an error of the system or of a library in the caller's language.
// An error that has no text of its own keeps the text of Go.
func (env *Env) Cause(err error) string { return env.Lang.Cause(err) }

// Roots returns the folders that the files of a call must be in, or none.
func Roots(env *Env) ([]*os.Root, error) {
	if env.Roots == nil {
		return nil, nil
	}
	return env.Roots()
}

// Confined returns the place of a file or folder that a command names by its absolute path. If there
// are roots, it lies in one of them.
func Confined(env *Env, path string) (confine.Place, error) {
	roots, err := Roots(env)
	if err != nil {
		return confine.Place{}, err
	}
	at, err := confine.Locate(roots, path)
	if err != nil {
		return at, Outside(env, path)
	}
	return at, nil
}

// Outside refuses a path outside of the roots.
func Outside(env *Env, path string) *Error {
	return env.Fail(Forbidden, "%s is outside of the allowed folders", path).
		WithHint(env.Hint("Use a path in the allowed folders, or allow another one with %s",
			Flag("root", Placeholder("DIR"))))
}
