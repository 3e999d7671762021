package tools

import (
	"unicode/utf8"
)

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
