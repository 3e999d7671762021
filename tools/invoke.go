package tools

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"techo/internal/legible"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

// Call is one call of a tool. Every interface makes the same Call for the same
// request.
type Call struct {
	Input    []byte        // a JSON object; empty means {}
	Key      string        // idempotency key, or ""
	Fields   []string      // fields of the result to keep; empty means all
	Timeout  time.Duration // 0 means unlimited
	MaxBytes int           // maximum size of the result in bytes; 0 or Unlimited means unlimited
	Problems []Detail      // problems that the interface has already found
	SkipWhen bool          // do not check Tool.When; true for calls of the command line
	NoText   bool          // the caller does not need Result.Text
	Compact  bool          // leave out empty fields, and those of items that a choice does not need

	// InTransaction means that the call runs in the caller's transaction and must end
	// before it.
	InTransaction bool
}

// Result is the outcome of a successful call.
type Result struct {
	JSON []byte // the document, compact, without a final newline
	Text string // the same as text for a person or a prompt; "" with NoText

	Image *Image // nil unless the result has one

	// Outcome is the error code whose exit code ends the process, or "" for exit
	// code 0. Only the command line uses it.
	Outcome Code
}

// Invoke calls a tool. All interfaces use it, so that availability, validation,
// timeouts, idempotency keys and the form of results and errors are the same
// everywhere. The steps, in order: check that the tool is available, validate
// the call, run the tool, and present its result.
func (t *Tool) Invoke(ctx context.Context, env *Env, c Call) (*Result, *Error) {
	if env.Naming != nil {
		own := *env
		own.called = t
		env = &own
	}
	r, err := t.invoke(ctx, env, c)
	if err != nil {
		e := t.AsError(env, err)
		if errors.As(err, new(*kv.UnknownOutcomeError)) {
			e.Retryable = c.Key != "" // such a call can be repeated safely
		}
		return nil, e.Shorten(c.MaxBytes)
	}
	return r, nil
}

func (t *Tool) invoke(ctx context.Context, env *Env, c Call) (*Result, error) {
	v := &invocation{tool: t, env: env, call: c}
	if err := v.checkAvailable(); err != nil {
		return nil, err
	}
	if err := v.validate(); err != nil {
		return nil, err
	}
	if err := v.guardSecrets(); err != nil {
		return nil, err
	}
	ctx = t.withOrigin(ctx, env)
	if c.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, c.Timeout, ErrTimeout)
		defer stop()
	}
	within, input, err := t.Within(ctx, v.env, v.input)
	if err != nil {
		return nil, withCause(ctx, err)
	}
	v.env = within
	if v.input, err = wholeIDs(ctx, within, t, input, v.converted); err != nil {
		return nil, withCause(ctx, err)
	}
	out, err := v.run(ctx)
	if err != nil {
		return nil, withCause(ctx, err)
	}
	return v.present(ctx, out)
}

// withOrigin returns a context whose writes are recorded as changes by this tool
// and the caller.
func (t *Tool) withOrigin(ctx context.Context, env *Env) context.Context {
	if env.Purge {
		ctx = ledger.WithPurge(ctx)
	}
	return ledger.WithOrigin(ctx, ledger.Origin{Tool: cmp.Or(t.Name, t.Command), By: env.User,
		Client:  env.Caller.Client,
		Session: env.Caller.Turn})
}

// invocation is the state of one call of Invoke.
type invocation struct {
	tool   *Tool
	env    *Env
	call   Call
	input  []byte          // the validated input in normal form
	fields jsontree.Fields // fields of the result to keep

	converted *schema.Conversions // the conversions of the input
}

// output is the return value of a tool's function.
type output struct {
	document []byte
	text     string // "" if the result has no text form of its own
	note     string // what was guessed, for the text
	image    *Image
	outcome  Code
}

// checkAvailable is the first step.
func (v *invocation) checkAvailable() error {
	if v.tool.When == nil || v.call.SkipWhen {
		return nil
	}
	if e := v.tool.When(v.env); e != nil {
		return e
	}
	return nil
}

// validate is the second step. It sets input and fields, or returns one error
// with all problems.
func (v *invocation) validate() error {
	t, c := v.tool, v.call
	input, converted, problems := t.Reader().Read(v.env, c.Input)
	fields, unknown := t.selectFields(v.env, c.Fields)
	problems = slices.Concat(c.Problems, problems, t.checkKey(v.env, c.Key), unknown)
	if len(problems) == 0 {
		problems = t.changesNothing(v.env, input)
	}
	if len(problems) > 0 {
		return t.reject(v.env, c.Input, problems)
	}
	v.input, v.converted, v.fields = input, converted, fields
	if c.MaxBytes > 0 {
		bounded := *v.env
		bounded.MaxBytes = c.MaxBytes
		v.env = &bounded
	}
	return nil
}

// run is the third step. It returns when the tool ends, or a grace period after
// the context has ended.
func (v *invocation) run(ctx context.Context) (output, error) {
	if v.call.InTransaction {
		return v.once(ctx)
	}
	return v.abandonable(ctx)
}

// once calls the tool's function, unless an earlier call had the same
// idempotency key: then it returns the result of that call.
func (v *invocation) once(ctx context.Context) (out output, err error) {
	if v.call.Key == "" {
		return v.execute(ctx, v.env)
	}
	digest := sha256.Sum256(append([]byte(v.tool.Name+"\x00"), v.input...))
	key := CallKey{v.env.User, v.call.Key, hex.EncodeToString(digest[:])}
	env := *v.env
	env.key = &key
	if runsElsewhere(ctx, v.tool, v.env, v.input) {
		return v.execute(ctx, &env) // a transaction must not wait for the network
	}
	st, err := v.env.Store(ctx, v.tool.Effect)
	if err != nil {
		return out, err
	}
	document, err := st.Once(ctx, key.User, key.Key, key.Input, func(ctx context.Context) ([]byte, error) {
		out, err = v.execute(ctx, &env)
		return out.document, err
	})
	if !bytes.Equal(document, out.document) { // the result is an earlier call's; out may be that of a dropped attempt
		out = output{document: document}
	}
	return out, err
}

// recovered turns a panic into an error; a function defers it.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
}

// execute calls the tool's function. A panic becomes an error.
func (v *invocation) execute(ctx context.Context, env *Env) (out output, err error) {
	defer recovered(&err)
	value, err := v.tool.Run.call(ctx, env, v.input)
	if err != nil {
		return out, v.tool.sentence(v.env, err)
	}
	if x, ok := value.(Texter); ok && !v.call.NoText {
		out.text = x.Text(v.env)
	}
	if x, ok := value.(Noter); ok {
		out.note = x.Guess()
	}
	if x, ok := value.(Imager); ok {
		out.image = x.Image()
	}
	if x, ok := value.(Outcomer); ok {
		out.outcome = x.Outcome()
	}
	out.document, err = jsontree.Marshal(value)
	return out, err
}

// present is the last step. It keeps the fields that were asked for and bounds
// the size.
func (v *invocation) present(ctx context.Context, out output) (*Result, error) {
	result := &Result{JSON: v.document(out), Text: v.textOf(out), Image: out.image, Outcome: out.outcome}
	if v.call.MaxBytes > 0 {
		return result, v.fit(ctx, result)
	}
	return result, nil
}

// document returns the document of a result with the conversions of the input, as far as
// the caller asked for its fields.
func (v *invocation) document(out output) []byte {
	document := jsontree.Pick(v.withSecretWarnings(v.converted.AddTo(out.document)), v.fields)
	if v.call.Compact {
		document = v.compact(document)
	}
	if shown := legible.EscapeJSON(string(document)); len(shown) != len(document) {
		return []byte(shown)
	}
	return document
}

// textOf returns the text of a result: its own form, or its message. What was guessed follows
// as the last line.
func (v *invocation) textOf(out output) string {
	if v.call.NoText {
		return out.text
	}
	text, note := out.text, out.note
	if text == "" { // also the result of an earlier call with the same key
		var said struct {
			Message string `json:"message"`
			Note    string `json:"note"`
		}
		_ = json.Unmarshal(out.document, &said) // a document of another form has neither
		text, note = cmp.Or(said.Message, string(out.document)), said.Note
	}
	if v.tool.Output().Property(warningsField) == nil {
		for _, warning := range v.env.secretWarnings {
			text += "\n" + v.env.Localize("Note: %s", warning)
		}
	}
	if note != "" {
		text += "\n" + v.env.Localize("Note: %s", note)
	}
	if !IsVerbatim(v.tool, v.input) {
		text = legible.Escape(text)
	}
	return text
}

// withCause adds the reason why the context ended to an error.
func withCause(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%w (%w)", context.Cause(ctx), err)
}

// Time that a call may go on after its context has ended, so that it can return
// its own answer. After that Invoke returns without it, because a system call
// on an unresponsive file cannot be interrupted. A call that changes something
// gets longer, since abandoning it leaves the outcome unknown.
const (
	readGrace   = time.Second
	changeGrace = 10 * time.Second
)

// abandonable runs the tool and returns when it ends, or a grace period after
// the context has ended.
func (v *invocation) abandonable(ctx context.Context) (output, error) {
	type outcome struct {
		out output
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer recovered(&o.err)
		o.out, o.err = v.once(ctx)
	}()
	select {
	case o := <-done:
		return o.out, o.err
	case <-ctx.Done():
	}
	late := time.NewTimer(v.grace())
	defer late.Stop()
	select {
	case o := <-done:
		return o.out, o.err
	case <-late.C:
	}
	if v.env.Abandoned != nil {
		ended := v.env.Abandoned()
		go func() { <-done; ended() }()
	}
	return output{}, v.abandoned(ctx)
}

func (v *invocation) grace() time.Duration {
	if v.tool.Effect == Reads {
		return readGrace
	}
	return changeGrace
}

// abandoned returns the error of a call that did not end with its context.
func (v *invocation) abandoned(ctx context.Context) error {
	e := AsError(v.env, context.Cause(ctx))
	if v.tool.Effect == Reads || v.tool.Effect == Asks {
		return e
	}
	unknown := *e
	unknown.Message = v.env.Localize("%s; it is not known whether the change was made", e.Message)
	unknown.Hint = v.env.Hint("Check the current state before you call again")
	unknown.Retryable = v.call.Key != "" // a call with an idempotency key can be repeated safely
	return &unknown
}

// maxKey is the maximum length of an idempotency key in bytes.
const maxKey = 200

// CallKey identifies a call with an idempotency key. Each user has keys of their
// own. The same key with another input is an error.
type CallKey struct {
	User, Key string
	Input     string // digest of the tool's name and the whole input
}

// KeyOf returns the idempotency key of a call, for tools that create something outside
// the store. ok is false if the call has no key.
func KeyOf(env *Env) (k CallKey, ok bool) {
	if env.key == nil {
		return k, false
	}
	return *env.key, true
}

// checkKey returns the problems of an idempotency key; "" means no key.
func (t *Tool) checkKey(env *Env, key string) []Detail {
	const path = "/idempotency-key"
	switch {
	case key == "":
		return nil
	case t.Effect != Adds:
		return []Detail{{Path: path, Message: env.Localize("is for tools that add something")}}
	case !utf8.ValidString(key) || len(key) > maxKey:
		return []Detail{{Path: path, Message: env.Localize("must be UTF-8 of at most 200 bytes")}}
	}
	return nil
}
