package tools

import (
	"context"
	"net/url"
	"time"

	"techo/store"
)

// PersonSettings are how an interface reaches the person.
type PersonSettings struct {
	// Secret returns the place of the person's secret: nil if their account can have none, an
	// error if nothing shows whether they have one. A nil function is for tests without one.
	Secret func() (*store.Secret, error)

	// Terminal opens a channel to the person; nil means that there is no channel.
	Terminal func(Channel) (Terminal, error)

	// Typed means that stdin is a terminal.
	Typed bool
}

// AskSettings are the settings for questions.
type AskSettings struct {
	PID int // the caller's process

	// Clock is the clock of the system, which no variable of the environment moves.
	Clock func() time.Time

	// Notify informs the person about a waiting question, with the program that they
	// configured; nil means that none is configured.
	Notify func(ctx context.Context, id, question string) error
}

// WebSettings are the limits and settings for requests to the internet. No input of a tool can
// change them.
type WebSettings struct {
	Agent        string   // the User-Agent
	AllowPrivate bool     // allow addresses outside the public internet
	Allow        []string // hosts that may be private anyway, as "host" or "host:port"
	Save         string   // absolute path to save the body of the next page to, or ""
	Overwrite    bool     // Save may replace an existing file
	Parents      bool     // the missing folders of Save are created

	// Browser is the path of the browser that may render pages, "auto" for one that is
	// installed, or "" for none.
	Browser string

	// Proxy returns the proxy for an address, or nil for a direct connection.
	Proxy func(*url.URL) (*url.URL, error)
}

// HostSettings are what the file tools know of the host.
type HostSettings struct {
	// Home and Config ($XDG_CONFIG_HOME) are the person's folders, where other
	// programs keep their settings. "" means that there is no such folder.
	Home, Config string

	// GitConfig lists the configuration files of git that apply to all repositories, those
	// with less precedence first.
	GitConfig []string

	// Stdin is what was piped into the command if its line names it by the field
	// Flagged.Stdin, else nil.
	Stdin []byte

	// Unread reports whether input waits on stdin, which the line of the command does not
	// name. nil means no.
	Unread func() bool
}

// MemorySettings are the settings for memories.
type MemorySettings struct {
	On       bool   // memory is enabled
	Files    bool   // the memory tool is enabled
	InPrompt bool   // the prompt contains references to memories
	Dates    bool   // the references have the days of the memories
	Service  string // address of a memory service that replaces the store, or ""
	Token    string // bearer token for the service, or ""

	// ReadFile reads a file that the caller may read, and returns where it is. nil means that
	// the files of sources are not read.
	ReadFile func(ctx context.Context, env *Env, path string) (content []byte, at string, err error)

	// Received is the result of investigate_memory that a server has returned. The call
	// then only writes it to files of this machine.
	Received []byte

	// Turns counts the calls of the process that the store cannot count because it may only
	// be read. nil means that there is no count: such a call fails.
	Turns *Turns
}

// ModelSettings name an OpenAI-compatible endpoint for vectors of meaning.
type ModelSettings struct {
	URL   string // base address, "" for none
	Model string

	// Key returns the bearer token, "" for none. It may run a command. nil means none.
	Key func(context.Context) (string, error)
}

// CalendarSettings are the settings for calendars.
type CalendarSettings struct {
	Work   WorkingHours
	Google GoogleSettings

	// Password returns the name and the password of an account at a CalDAV server. It
	// may be nil.
	Password func(ctx context.Context, account string) (user, password string, err error)

	// Columns returns the width of the terminal that shows the result, or 0 without
	// one. It may be nil.
	Columns func() int
}

// WorkingHours are the person's settings for suggestions.
type WorkingHours struct {
	From, To time.Duration // since midnight; both are 0 if not set
	Buffer   int           // free minutes around other events
	Days     string        // all, work or weekdays; "" if not set
}

// GoogleSettings hold the access to Google's services for the user.
type GoogleSettings struct {
	Calendar string // address of the Calendar API

	// Token returns an access token of an account, which names its credentials; with
	// renew it gets a new one because the last was refused. nil means that there are no
	// credentials.
	Token func(ctx context.Context, account string, renew bool) (string, error)

	// Lock waits until no other call on this machine holds the lock of a name. It may be
	// nil.
	Lock func(ctx context.Context, name string) (unlock func(), err error)
}
