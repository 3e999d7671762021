package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"techo/tools/schema"
)

// AsError converts an error to one that names the tool.
func (t *Tool) AsError(env *Env, err error) *Error { return t.named(AsError(env, err)) }

// named returns a copy of the error that names the tool, or the command without a tool.
func (t *Tool) named(err *Error) *Error {
	e := *err
	e.Tool = cmp.Or(t.Name, t.Command)
	return &e
}

// Accept validates an input without calling the tool. It returns the input in
// normal form, or an error with all problems, including the ones that the caller
// has found.
func (t *Tool) Accept(env *Env, input []byte, found ...Detail) ([]byte, *Error) {
	input, _, problems := t.Reader().Read(env, input)
	if problems = append(found, problems...); len(problems) > 0 {
		return nil, t.named(t.invalid(env, problems))
	}
	return input, nil
}

// Decode validates a JSON document like the input of a tool whose input is T, and
// decodes it. The error lists all problems.
func Decode[T any](env *Env, document []byte) (in T, invalid *Error) {
	document, problems := schema.Validate(env, schema.InputOf(reflect.TypeFor[T](), ""), document)
	if len(problems) > 0 {
		return in, InvalidError(env, problems)
	}
	if err := json.Unmarshal(document, &in); err != nil {
		return in, AsError(env, fmt.Errorf("validated input does not fit: %w", err))
	}
	return in, nil
}

// reject returns the error for an invalid call.
func (t *Tool) reject(env *Env, input []byte, problems []Detail) *Error {
	if t.Forbidden != nil {
		if e := t.Forbidden(env, t.Reader().Converted(input)); e != nil {
			return e
		}
	}
	return t.invalid(env, problems)
}

// invalid returns one error for all problems of an input.
func (t *Tool) invalid(env *Env, problems []Detail) *Error {
	return t.sentence(env, InvalidError(env, problems)).(*Error)
}

// InvalidError returns an error whose message lists all problems of an input.
// Its hint is the first hint of a problem.
func InvalidError(env *Env, problems []Detail) *Error {
	texts := make([]string, len(problems))
	hint := ""
	for i, p := range problems {
		texts[i] = problemText(env, p)
		if hint == "" {
			hint = p.Hint
		}
	}
	return &Error{Code: InvalidInput, Message: strings.Join(texts, "; "), Details: problems, Hint: hint}
}

// InvalidField refuses one field of an input, named by a JSON pointer.
func InvalidField(env *Env, field string, message Text, args ...any) *Error {
	return InvalidError(env, []Detail{{Path: field, Message: env.Localize(message, args...)}})
}

// problemText returns a problem as a part of a sentence, with the field's name unless the message has it.
func problemText(env *Env, d Detail) string {
	if d.Named {
		return d.Message
	}
	if env.Lang == Japanese && d.Path != "" {
		return strings.TrimPrefix(d.Path, "/") + ": " + d.Message
	}
	return strings.TrimSpace(strings.TrimPrefix(d.Path, "/") + " " + d.Message)
}

// sentence wraps the message of an invalid input, or of an exceeded limit, into
// the tool's own sentence. An invalid input without a hint gets the tool's.
func (t *Tool) sentence(env *Env, err error) error {
	e := AsError(env, err)
	if e.Code != InvalidInput && e.Code != LimitExceeded {
		return err
	}
	wrapped := *e
	if t.Refused != "" {
		wrapped.Message = t.Refused.In(env.Lang, e.Message)
	}
	if e.Code == InvalidInput && e.Hint == "" && t.Command != "" {
		wrapped.Hint = HelpHint(env, t)
	}
	return &wrapped
}

// HelpHint returns the hint where the fields of a tool are explained.
func HelpHint(env *Env, t *Tool) string {
	if env.Naming != nil && t.Name != "" {
		hint := env.Hint("See the schema of %s", t.Name)
		if !env.Naming.Listed(t) {
			hint += unlisted(env, t.Name)
		}
		return hint
	}
	return env.Hint("See techo %s --help", cmp.Or(t.HelpCommand, t.Command))
}
