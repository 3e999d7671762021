package tools

import (
	"context"
	"os"
	"time"

	"techo/store"
)

// Env is everything that a tool may touch of the world. What a model must not
// choose, such as the user or the store, is here and never in the input.
type Env struct {
	Lang Lang
	Zone *time.Location
	Now  func() time.Time
	User string

	Memory Memory

	// Dir is the working folder, absolute: where a path that is not begins.
	Dir string

	// Home and Config are the person's folders, where other programs keep what
	// they were told ($XDG_CONFIG_HOME is the second); "" is that there is none.
	Home, Config string

	// Roots opens the folders that the tools for files are confined to, once;
	// none is that nothing confines them. Each is named by its absolute path
	// without links. They belong to the face, as the store does; nil is none.
	Roots func() ([]*os.Root, error)

	// Most is how many bytes the answer may take, 0 for any number. Longer ones
	// are cut; a tool that looks at it can say itself where it goes on.
	Most int

	PID int // the caller's process

	// Terminal opens a channel to the person; nil is that there is none.
	Terminal func(Channel) (Terminal, error)

	// Notify tells the person that a question waits for them, by what they
	// chose for it; nil is that they chose nothing.
	Notify func(ctx context.Context, id, question string) error

	Web Web // what may be done on the internet

	// Open opens the store, at the first need; to write it is made when it is
	// not there. It belongs to the face that made the Env, which closes it.
	Open func(ctx context.Context, write bool) (*store.Store, error)

	// Where names the folder of the store, which the tools for files leave
	// alone; nil is that there is none.
	Where func() (string, error)

	// Progress, unless it is nil, is told now and then how far long work has
	// come: so much done, of so much in all, 0 when that is not known.
	Progress func(done, total int64)

	// Google reaches Google's services for the user.
	Google Google
}

// Google is how to reach Google's services.
type Google struct {
	Calendar string // where the Calendar API is

	// Token returns an access token, a new one when the last was refused. nil
	// is that there are no credentials.
	Token func(ctx context.Context, renew bool) (string, error)
}

// Memory is what was chosen about memories.
type Memory struct {
	On       bool   // memory is enabled
	Named    bool   // the user was named, not guessed
	InPrompt bool   // references to memories were put into the prompt
	Service  string // address of a memory service to read from instead of the store, "" is none
}

// Step reports progress, where somebody watches.
func (env *Env) Step(done, total int64) {
	if env.Progress != nil {
		env.Progress(done, total)
	}
}

// Store opens the store as an effect needs it.
func (env *Env) Store(ctx context.Context, e Effect) (*store.Store, error) {
	return env.Open(ctx, e != Reads)
}

// Say returns a text in the caller's language.
func (env *Env) Say(s Say, args ...any) string { return s.In(env.Lang, args...) }

// Time writes an instant in the caller's zone, as RFC 3339 with its offset, and
// with milliseconds when there are any.
func (env *Env) Time(t time.Time) string {
	t = t.In(env.Zone)
	if t.Nanosecond()/int(time.Millisecond) == 0 {
		return t.Format(time.RFC3339)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}
