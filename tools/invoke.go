package tools

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Call is one call of a tool, the same from every face.
type Call struct {
	Input   []byte        // a JSON object; empty is {}
	Key     string        // idempotency key, "" is none
	Fields  []string      // keep only these of the result; none is all
	Timeout time.Duration // 0 is none
	Most    int           // bytes of the result; 0 is without end
	Faults  []Detail      // found by the face already
	Typed   bool          // by a person, whom no condition keeps from a tool
	NoText  bool          // only the document is wanted of the result
}

// Result is what a call gave.
type Result struct {
	JSON []byte // the document, compact, without a newline
	Text string // the same for a person or a prompt, unless it was not wanted

	// Outcome is whose exit code a process ends with, "" for 0. No other face
	// takes notice of it: the result is a result.
	Outcome Code

	noText bool
}

// Invoke calls a tool. Every face comes through here: whether the tool is to
// be had, the validation of its input, its time, its idempotency key, the
// shape of its result and of its errors are nobody else's business.
func (t *Tool) Invoke(ctx context.Context, env *Env, c Call) (*Result, *Error) {
	r, err := t.invoke(ctx, env, c)
	if err == nil {
		return r, nil
	}
	return nil, t.Fault(env, err)
}

// named returns an error that names the tool.
func (t *Tool) named(err *Error) *Error {
	e := *err
	e.Tool = t.Name
	return &e
}

// Fault is the error that a call of the tool is answered with.
func (t *Tool) Fault(env *Env, err error) *Error { return t.named(asError(env, err)) }

// Accept validates an input without calling the tool, and returns it as the
// tool would read it.
func (t *Tool) Accept(env *Env, input []byte, faults ...Detail) ([]byte, *Error) {
	input, wrong := validate(env, t.Input(), input)
	if faults = append(faults, wrong...); len(faults) > 0 {
		return nil, t.named(t.refuse(env, faults))
	}
	return input, nil
}

func (t *Tool) invoke(ctx context.Context, env *Env, c Call) (*Result, error) {
	if t.When != nil && !c.Typed {
		if e := t.When(env); e != nil {
			return nil, e
		}
	}
	input, wrong := validate(env, t.Input(), c.Input)
	faults := append(slices.Clip(c.Faults), wrong...)
	if c.Key != "" {
		faults = append(faults, t.checkKey(env, c.Key)...)
	}
	fields, wrong := t.checkFields(env, c.Fields)
	if faults = append(faults, wrong...); len(faults) > 0 {
		if t.Forbidden != nil {
			if e := t.Forbidden(env, c.Input); e != nil {
				return nil, e
			}
		}
		return nil, t.refuse(env, faults)
	}
	if c.Most > 0 {
		bounded := *env
		bounded.Most = c.Most
		env = &bounded
	}
	if c.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, c.Timeout, ErrTimeout)
		defer stop()
	}
	result := &Result{noText: c.NoText}
	document, err := t.once(ctx, env, c.Key, input, result)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", context.Cause(ctx), err)
		}
		return nil, err
	}
	if result.Text == "" && !c.NoText {
		result.Text = messageOf(document)
	}
	result.JSON = pick(document, fields)
	if c.Most > 0 {
		err = t.fit(ctx, env, input, result, fields, c.Most)
	}
	return result, err
}

// once runs the tool, or returns what it gave under the same idempotency key.
func (t *Tool) once(ctx context.Context, env *Env, key string, input []byte, result *Result) ([]byte, error) {
	run := func(ctx context.Context) (document []byte, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
		}()
		out, err := t.run(ctx, env, input)
		if err != nil {
			return nil, t.sentence(env, err)
		}
		if x, ok := out.(Texter); ok && !result.noText {
			result.Text = x.Text(env)
		}
		if x, ok := out.(Outcomer); ok {
			result.Outcome = x.Outcome()
		}
		return Marshal(out)
	}
	if key == "" {
		return run(ctx)
	}
	ctx = context.WithValue(ctx, keyOfCall{}, key)
	if t.Elsewhere != nil && t.Elsewhere(ctx, env, input) { // nothing waits for a network within a transaction
		return run(ctx)
	}
	st, err := env.Store(ctx, t.Effect)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(append([]byte(t.Name+"\x00"), input...))
	return st.Once(ctx, env.User, key, hex.EncodeToString(digest[:]), run)
}

// keyOfCall is where a context carries the idempotency key of its call.
type keyOfCall struct{}

// IdempotencyKey is the key of the call that a context is of, "" for none: what
// a tool makes elsewhere may be named after it.
func IdempotencyKey(ctx context.Context) string {
	key, _ := ctx.Value(keyOfCall{}).(string)
	return key
}

// checkKey says what is wrong with an idempotency key.
func (t *Tool) checkKey(env *Env, key string) []Detail {
	at := "/idempotency-key"
	switch {
	case t.Effect != Adds:
		return []Detail{{Path: at, Message: env.Say(Say{"is for tools that add something", "追加するツールでのみ使えます"})}}
	case !utf8.ValidString(key) || len(key) > 200:
		return []Detail{{Path: at, Message: env.Say(Say{"must be UTF-8 of at most 200 bytes", "200 バイト以内の UTF-8 にしてください"})}}
	}
	return nil
}

// refuse makes one error of all faults of an input.
func (t *Tool) refuse(env *Env, faults []Detail) *Error {
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = strings.TrimSpace(strings.TrimPrefix(f.Path, "/") + " " + f.Message)
		if env.Lang == Japanese && f.Path != "" {
			texts[i] = strings.TrimPrefix(f.Path, "/") + ": " + f.Message
		}
	}
	e := &Error{Code: InvalidInput, Message: strings.Join(texts, "; "), Details: faults}
	for _, f := range faults {
		if f.Hint != "" {
			e.Hint = f.Hint
			break
		}
	}
	if e.Hint == "" && t.Command != "" {
		e.Hint = env.Say(Say{"See techo %s --help", "techo %s --help を参照してください"}, t.Command)
	}
	return t.sentence(env, e).(*Error)
}

// sentence puts a refusal of an input, or a limit that it hit, into the
// sentence of the tool.
func (t *Tool) sentence(env *Env, err error) error {
	if t.Refused == (Say{}) {
		return err
	}
	e := asError(env, err)
	if e.Code == InvalidInput || e.Code == LimitExceeded {
		said := *e
		said.Message = t.Refused.In(env.Lang, e.Message)
		return &said
	}
	return err
}

// Marshal writes a value as compact JSON, without escapes for HTML.
func Marshal(v any) ([]byte, error) {
	if d, ok := v.(json.Marshaler); ok { // a document of its own making, which is compact
		return d.MarshalJSON()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func messageOf(document []byte) string {
	var m struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(document, &m) != nil || m.Message == "" {
		return string(document)
	}
	return m.Message
}
