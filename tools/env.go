package tools

import (
	"context"
	"net/http"
	"os"
	"time"

	"techo/internal/membudget"
	"techo/store"
)

// Env is everything outside its input that a tool may use. Choices that a model
// must not make, such as the user or the store, are here and never in the input.
type Env struct {
	Lang Lang
	Zone *time.Location
	Now  func() time.Time
	User string

	Memory Memory

	// Dir is the absolute working folder. Relative paths start there.
	Dir string

	// Home and Config ($XDG_CONFIG_HOME) are the person's folders, where other
	// programs keep their settings. "" means that there is no such folder.
	Home, Config string

	// GitConfig lists the configuration files of git that apply to all repositories, those
	// with less precedence first.
	GitConfig []string

	// Roots opens, once, the folders that the file tools are confined to. An empty
	// list or a nil function means no confinement. Each root is named by its absolute
	// path without symbolic links. The interface closes them.
	Roots func() ([]*os.Root, error)

	// MaxBytes is the maximum size of the answer in bytes; 0 means unlimited. Invoke
	// cuts longer answers; a tool that respects MaxBytes can choose where to cut and
	// return the next position.
	MaxBytes int

	PID int // the caller's process

	// Secret returns the person's secret for answers; nil if there is no folder for it.
	Secret func() *store.Secret

	// Tools are all tools that the interface offers, also unavailable ones.
	Tools []*Tool

	// Naming is how the caller names tools; nil means by the commands of the shell.
	Naming *Naming

	called *Tool // the tool that Invoke runs

	Sharing SharingSettings
	space   string // the shared space of the call, or ""
	onlyOwn bool   // the input excludes shared spaces

	// Purge makes the call erase the changed records from the history. Only a command
	// line chooses it.
	Purge bool

	Caller Caller

	// Turns counts the calls of the process that the store cannot count because it may only
	// be read. nil means that there is no count: such a call fails.
	Turns *Turns

	// Terminal opens a channel to the person; nil means that there is no channel.
	Terminal func(Channel) (Terminal, error)

	// Columns returns the width of the terminal that shows the result, or 0 without
	// one. It may be nil.
	Columns func() int

	// Stdin is what was piped into the command if its line names it by its field Flagged.Stdin, else nil.
	Stdin []byte

	// Unread reports whether input waits on stdin, which the line of the command does not
	// name. nil means no.
	Unread func() bool

	// Notify informs the person about a waiting question, with the program that they
	// configured; nil means that none is configured.
	Notify func(ctx context.Context, id, question string) error

	Web Web // limits for requests to the internet

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

	// Where returns the folder of the store, which the file tools do not touch; nil
	// means that there is no store.
	Where func() (string, error)

	// Progress, unless nil, is called from time to time during long work. total is 0
	// when it is not known.
	Progress func(done, total int64)

	Work WorkingHours

	// Google reaches Google's services for the user.
	Google Google

	// Password returns the name and the password of an account at a CalDAV server. It
	// may be nil.
	Password func(ctx context.Context, account string) (user, password string, err error)
}

// WorkingHours are the person's settings for suggestions.
type WorkingHours struct {
	From, To time.Duration // since midnight; both are 0 if not set
	Buffer   int           // free minutes around other events
}

// Google holds the access to Google's services.
type Google struct {
	Calendar string // address of the Calendar API

	// Token returns an access token of an account, which names its credentials; with
	// renew it gets a new one because the last was refused. nil means that there are no
	// credentials.
	Token func(ctx context.Context, account string, renew bool) (string, error)

	// Lock waits until no other call on this machine holds the lock of a name. It may be
	// nil.
	Lock func(ctx context.Context, name string) (unlock func(), err error)
}

// Memory holds the settings for memories.
type Memory struct {
	On       bool   // memory is enabled
	Named    bool   // the user was configured, not guessed
	InPrompt bool   // the prompt contains references to memories
	Service  string // address of a memory service that replaces the store, or ""
	Token    string // bearer token for the service, or ""

	// Received is the result of investigate_memory that a server has returned. The call
	// then only writes it to files of this machine.
	Received []byte
}

// Step reports progress if the interface displays it.
func (env *Env) Step(done, total int64) {
	if env.Progress != nil {
		env.Progress(done, total)
	}
}

// Store opens the store for a tool with this effect: the shared space of the call, or
// the user's own records, unless the token of the caller excludes them.
func (env *Env) Store(ctx context.Context, e Effect) (*store.Store, error) {
	if env.space == "" && !env.Sharing.Allows(store.OwnSpace) {
		return nil, tokenSpaces(env, "")
	}
	st, err := env.Open(ctx, e != Reads)
	if err == nil && env.space != "" {
		st = store.SpacesOf(st).In(env.space, env.User)
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
