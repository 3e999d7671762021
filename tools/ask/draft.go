package ask

import (
	"slices"
	"time"

	"techo/internal/legible"
	"techo/store/question"
	"techo/tools"
	"techo/tools/when"
)

// draft checks what the schema cannot express and returns the question to store.
// It reports all problems at once.
func (in AskIn) draft(env *tools.Env) (q question.Question, wait time.Duration, err error) {
	c := &check{env: env}
	c.options(in)
	c.secret(in)
	if in.Assurance != question.None && (in.Via == "stdin" || in.Default != "") {
		c.report("/assurance", "cannot be combined with default or via stdin, which show nothing about the person")
	}
	wait = c.wait(string(in.Wait))
	q = question.Question{
		Key: in.Key, Text: in.Question, Options: in.Options, Multiple: in.Multiple, Default: in.Default,
		Closed: in.NoOther, Secret: in.Secret, Assurance: in.Assurance, AskedBy: env.User, Dir: env.Dir,
		PID:       env.Ask.PID,
		ExpiresAt: c.expiry(in, wait),
	}
	if len(c.problems) > 0 {
		return q, wait, refuse(env, c.problems...)
	}
	size := 0
	for _, o := range in.Options {
		size += len(o)
	}
	if size > maxOptionBytes {
		return q, wait, env.Fail(tools.LimitExceeded, "the options have %d bytes; at most %d are allowed", size,
			maxOptionBytes).WithHint(env.Hint("Offer the likeliest ones; the person may also answer freely"))
	}
	return q, wait, nil
}

// check collects the problems of a question.
type check struct {
	env      *tools.Env
	problems []tools.Detail
}

func (c *check) report(path string, text tools.Text, args ...any) {
	c.problems = append(c.problems, tools.Detail{Path: path, Message: c.env.Localize(text, args...)})
}

func (c *check) options(in AskIn) {
	first := make(map[string]int, len(in.Options))
	for i, o := range in.Options {
		text := legible.Trim(o)
		if j, same := first[text]; same {
			c.report("/options", "must differ: choices %d and %d are the same", j+1, i+1)
			break // a list of a thousand copies needs no thousand reports
		}
		first[text] = i
	}
	if in.Default != "" && len(in.Options) > 0 && !slices.Contains(in.Options, in.Default) {
		c.report("/default", "the default %q is not one of the options", in.Default)
	}
	if in.NoOther && len(in.Options) == 0 {
		c.report("/no_other", "requires options")
	}
}

// secret rejects the fields that would keep a secret or offer it as an option.
func (c *check) secret(in AskIn) {
	if !in.Secret {
		return
	}
	for _, f := range []struct {
		path  string
		given bool
	}{
		{"/options", len(in.Options) > 0},
		{"/multiple", in.Multiple},
		{"/default", in.Default != ""},
		{"/expires", in.Expires != ""},
		{"/key", in.Key != ""},
	} {
		if f.given {
			c.report(f.path, "cannot be combined with secret")
		}
	}
}

func (c *check) wait(text string) time.Duration {
	wait, err := when.ParseDuration(text)
	if err != nil || wait > maxWait {
		c.report("/wait", "must be a duration such as 30s, at most 24h, not %q", text)
	}
	return wait
}

// expiry returns the time at which the question expires, or the zero time. A
// secret expires with the wait, since only this terminal can answer it.
func (c *check) expiry(in AskIn, wait time.Duration) (at time.Time) {
	now := c.env.Now()
	if in.Secret {
		at = now.Add(max(wait, time.Second)).Truncate(time.Millisecond)
	}
	if in.Expires == "" {
		return at
	}
	at, err := parseExpiry(now, string(in.Expires))
	if err != nil || !at.After(now) {
		c.report("/expires", "must be a duration such as 10m or a future instant, not %q", in.Expires)
	}
	return at
}

// parseExpiry parses a duration from now, or an instant.
func parseExpiry(now time.Time, text string) (time.Time, error) {
	if d, err := when.ParseDuration(text); err == nil {
		return now.Add(d).Truncate(time.Millisecond), nil
	}
	return time.Parse(time.RFC3339, text)
}
