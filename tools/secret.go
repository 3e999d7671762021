package tools

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"techo/internal/secrets"
	"techo/store/ledger"
	"techo/tools/jsontree"
)

// SecretPolicy is what becomes of a text for the store that looks as if it has a secret.
type SecretPolicy struct {
	Mode SecretMode

	// Own are patterns of the person that find more secrets.
	Own []*regexp.Regexp
}

// SecretMode is a setting. The zero value is WarnOfSecrets.
type SecretMode string

// The values of the setting.
const (
	WarnOfSecrets   SecretMode = "warn"
	RefuseSecrets   SecretMode = "refuse"
	RedactedSecrets SecretMode = "redact"
)

// redacted stands in the place of a secret.
const redacted = "[secret]"

// SecretWarnings returns the warnings about secrets in the input of the call. They are those of all its texts.
func SecretWarnings(env *Env) []string { return env.secretWarnings }

// WithWarnings adds warnings to a message.
func WithWarnings(env *Env, message string, warnings []string) string {
	for _, w := range warnings {
		message += env.Localize("; %s", w)
	}
	return message
}

// guardSecrets looks for secrets in the texts that a call keeps in the store, and refuses a text that is too long to
// keep. It warns, refuses the call, or takes the
// secrets out of the input, so that neither the store nor its history ever has them.
func (v *invocation) guardSecrets() error {
	in, ok := inputOf[Keeping](v.tool)
	if !ok {
		return nil
	}
	env, policy := v.env, v.env.Secrets
	var fields []string
	var members map[string]json.RawMessage
	if json.Unmarshal(v.input, &members) != nil {
		return nil
	}
	for _, name := range in.Keeps() {
		raw, given := members[name]
		if !given {
			continue
		}
		if len(raw) > ledger.MaxText {
			if err := keepable(env, name, raw); err != nil {
				return err
			}
		}
		hidden, found := hideSecrets(raw, policy.Own)
		if !found {
			continue
		}
		if fields = append(fields, name); policy.Mode == RedactedSecrets {
			members[name] = hidden
		}
	}
	if len(fields) == 0 {
		return nil
	}
	own := *env
	switch policy.Mode {
	case RefuseSecrets:
		e := (&Error{Code: Forbidden, Message: refusedSecret(env)}).
			WithHint(env.Hint("Leave it out, and keep it in a password manager"))
		for _, name := range fields {
			e.Details = append(e.Details, Detail{Path: "/" + name, Message: env.Localize("looks like a password or key")})
		}
		return e
	case RedactedSecrets:
		input, err := jsontree.Marshal(members)
		if err != nil {
			return err
		}
		v.input = input
		own.secretWarnings = []string{env.Localize("what looked like a password or key was replaced by %s", redacted)}
	default:
		own.secretWarnings = []string{env.Localize("it looks like a password or key, which everyone who reads the "+
			"store sees; keep it elsewhere") + env.Localize(". ") +
			env.Hint("Remove it with its history: %s", Use("undo", Placeholder("ID"), Field("purge")))}
	}
	v.env = &own
	return nil
}

// HideImported applies the setting refuse or redact to the texts of a record that is imported, a JSON object. problem
// says why it is refused. Fields with ids, times and hashes are left alone.
func HideImported(env *Env, object []byte) (clean []byte, problem string) {
	policy := env.Secrets
	var members map[string]json.RawMessage
	if policy.Mode != RefuseSecrets && policy.Mode != RedactedSecrets || json.Unmarshal(object, &members) != nil {
		return object, ""
	}
	found := false
	for name, raw := range members {
		if name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_at") ||
			strings.HasPrefix(name, "source_") || name == "etag" {
			continue
		}
		if hidden, is := hideSecrets(raw, policy.Own); is {
			found, members[name] = true, hidden
		}
	}
	switch {
	case !found:
		return object, ""
	case policy.Mode == RefuseSecrets:
		return nil, refusedSecret(env)
	}
	clean, err := jsontree.Marshal(members)
	if err != nil {
		return object, ""
	}
	return clean, ""
}

// HideTexts applies the setting refuse or redact to texts that are imported. problem says why they are refused.
func HideTexts(env *Env, texts ...*string) (problem string) {
	policy := env.Secrets
	if policy.Mode != RefuseSecrets && policy.Mode != RedactedSecrets {
		return ""
	}
	for _, text := range texts {
		switch clean := secrets.Hide(*text, redacted, policy.Own...); {
		case clean == *text:
		case policy.Mode == RefuseSecrets:
			return refusedSecret(env)
		default:
			*text = clean
		}
	}
	return ""
}

// refusedSecret says that a text with a secret is not kept.
func refusedSecret(env *Env) string {
	return env.Localize("it looks like a password or key, which is not kept here (setting secrets)")
}

// keepable refuses a field with a text that is longer than any that is kept, before it is searched for secrets.
func keepable(env *Env, name string, raw json.RawMessage) error {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return nil // the tool says what is wrong
	}
	texts, ok := value.([]any)
	if !ok {
		texts = []any{value}
	}
	for _, t := range texts {
		if text, ok := t.(string); ok && len(text) > ledger.MaxText {
			return env.Fail(LimitExceeded, "A text that is kept has at most %d bytes, and %s has %d", ledger.MaxText, name,
				len(text)).WithHint(env.Hint("Keep it as several records, or as a file"))
		}
	}
	return nil
}

// hideSecrets replaces the secrets in all texts of a value.
func hideSecrets(raw json.RawMessage, own []*regexp.Regexp) (hidden json.RawMessage, found bool) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return raw, false
	}
	var hide func(any) any
	hide = func(value any) any {
		switch value := value.(type) {
		case string:
			if clean := secrets.Hide(value, redacted, own...); clean != value {
				found = true
				return clean
			}
		case []any:
			for i := range value {
				value[i] = hide(value[i])
			}
		case map[string]any:
			for name := range value {
				value[name] = hide(value[name])
			}
		}
		return value
	}
	if value = hide(value); !found {
		return raw, false
	}
	hidden, err := jsontree.Marshal(value)
	return hidden, err == nil
}

// warningsField is the field of a result with warnings. A tool that keeps texts has it, whatever its own result has.
const warningsField = "warnings"

// selectFields returns the fields of a result to keep.
func (t *Tool) selectFields(env *Env, names []string) (jsontree.Fields, []Detail) {
	_, keeps := inputOf[Keeping](t)
	if !keeps || !slices.Contains(names, warningsField) || t.Output().Property(warningsField) != nil {
		return t.Output().Select(env, names)
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == warningsField })
	fields, unknown := t.Output().Select(env, names)
	if fields == nil {
		fields = jsontree.Fields{}
	}
	fields[warningsField] = nil
	return fields, unknown
}

// withSecretWarnings adds the warnings to the document of a tool whose result has no field for them.
func (v *invocation) withSecretWarnings(document []byte) []byte {
	warnings := v.env.secretWarnings
	if len(warnings) == 0 || len(document) < 2 || v.tool.Output().Property(warningsField) != nil {
		return document
	}
	list, err := jsontree.Marshal(warnings)
	if err != nil {
		return document
	}
	b := slices.Clone(document[:len(document)-1])
	if len(b) > 1 {
		b = append(b, ',')
	}
	return append(append(append(b, `"warnings":`...), list...), '}')
}
