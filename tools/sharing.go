package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"techo/store"
	"techo/store/ledger"
	"techo/store/space"
	"techo/tools/schema"
)

// Sharing says how a tool works with shared spaces.
type Sharing int

// The kinds of sharing. All but the first give a tool the field space.
const (
	NotShared Sharing = iota
	OneSpace          // uses the user's own records, or the space that is named
	AllSpaces         // also uses all spaces of the user, unless one is named
)

// about returns the description of the field space, or "".
func (s Sharing) about() Text {
	switch s {
	case OneSpace:
		return "Use this shared space instead of your own records"
	case AllSpaces:
		return "Use only this shared space; own: only your own records"
	}
	return ""
}

// SharingSettings limit the use of shared spaces. No input can change them.
type SharingSettings struct {
	// Member is set for a caller with the token of a user, who never acts for the owner of
	// the store.
	Member bool

	// Only are the spaces that the token allows; store.OwnSpace stands for the user's own
	// records. Empty allows all.
	Only []string
}

// Allows reports whether the token of the caller allows a space.
func (s SharingSettings) Allows(place string) bool {
	return len(s.Only) == 0 || slices.Contains(s.Only, place)
}

// Acting returns for whom the call administers shared spaces: for the user who was named
// or, if none was, for the owner of the store, who may choose the members of every space.
func Acting(env *Env) space.Acting {
	return space.Acting{User: env.User, Owner: !env.Sharing.Member && !env.Named,
		Asks: env.Sharing.Member}
}

// Within returns the environment of a call with a valid input: in the space that its
// field space or a calendar names. It returns the input for that space.
func (t *Tool) Within(ctx context.Context, env *Env, input []byte) (*Env, []byte, error) {
	if t.Sharing == NotShared {
		return env, input, nil
	}
	var in struct{ Space string }
	if bytes.Contains(input, []byte(`"`+schema.SpaceField+`"`)) {
		if err := json.Unmarshal(input, &in); err != nil {
			return nil, nil, err
		}
	}
	input, name, err := t.enterCalendars(ctx, env, input, ledger.NormalUser(in.Space))
	if err != nil {
		return nil, nil, err
	}
	if name == "" && (t.Sharing == AllSpaces || env.Sharing.Allows(space.Own)) {
		return env, input, nil
	}
	if name == "" || !env.Sharing.Allows(name) {
		return nil, nil, env.tokenSpaces(name)
	}
	within := *env
	if within.onlyOwn = name == space.Own; !within.onlyOwn {
		within.space = name
	}
	return &within, input, nil
}

// tokenSpaces returns the error of a token that is not for the space of a call, "" or
// store.OwnSpace for the user's own records.
func (env *Env) tokenSpaces(place string) *Error {
	message := Text("The token does not allow this space")
	if place == "" || place == space.Own {
		message = "The token does not allow your own records"
	}
	return env.Fail(Forbidden, message).
		WithHint(env.Hint("Name one that it allows: %s", Field("space", env.Sharing.Only[0])))
}

// Space returns the shared space of the call, or "" for the user's own records.
func Space(env *Env) string { return env.space }

// InOnePlace reports whether the input chose the place of the call.
func InOnePlace(env *Env) bool { return env.space != "" || env.onlyOwn }

// Owner returns the user of the memories of the call, which is a shared space itself for its
// memories.
func Owner(env *Env) string {
	if env.space != "" {
		return env.space
	}
	return env.User
}

// Source is a place where a tool looks: the user's own records or a shared space.
type Source struct {
	*store.Store
	Space string // "" is the user's own
}

// Sources returns the places where a call looks: the space that its input names, else
// the user's own records and all spaces of the user, as far as the token allows them.
func Sources(ctx context.Context, env *Env) (all []Source, err error) {
	if InOnePlace(env) {
		st, err := env.Store(ctx, Reads)
		return []Source{{st, env.space}}, err
	}
	st, err := env.Open(ctx, false)
	if err != nil {
		return nil, err
	}
	if env.Sharing.Allows(space.Own) {
		all = append(all, Source{st, ""})
	}
	spaces, err := space.Of(st.Ledger).Names(ctx, env.User)
	if err != nil {
		return nil, err
	}
	for _, name := range spaces {
		if env.Sharing.Allows(name) {
			all = append(all, Source{store.In(st, name, env.User), name})
		}
	}
	return all, nil
}

// Searched returns where a search of the store looks: in the places of Sources.
func Searched(ctx context.Context, env *Env) (st *store.Store, in space.Sources, err error) {
	in = space.Sources{User: env.User, Own: env.space != "" || env.Sharing.Allows(space.Own)}
	if InOnePlace(env) {
		st, err = env.Store(ctx, Reads)
		return st, in, err
	}
	in.Spaces = env.Sharing.Allows
	st, err = env.Open(ctx, false)
	return st, in, err
}

// StoreOf returns the records of a shared space, or the user's own for "" and
// store.OwnSpace, with the user of its memories.
func StoreOf(ctx context.Context, env *Env, place string, e Effect) (*store.Store, string, error) {
	st, err := env.Open(ctx, e != Reads)
	if err != nil {
		return nil, "", err
	}
	name := ledger.NormalUser(place)
	if name == "" {
		name = space.Own
	}
	switch {
	case !env.Sharing.Allows(name):
		return nil, "", env.tokenSpaces(name)
	case name == space.Own:
		return st, env.User, nil
	}
	return store.In(st, name, env.User), name, nil
}

// BetweenSpaces returns the place of a call and the one that it moves a record to, with
// the user of the memories there.
func BetweenSpaces(ctx context.Context, env *Env, place string) (from, to *store.Store, owner string, err error) {
	if from, err = env.Store(ctx, Changes); err != nil {
		return nil, nil, "", err
	}
	if to, owner, err = StoreOf(ctx, env, place, Changes); err != nil {
		return nil, nil, "", err
	}
	if to.Ledger.Space == from.Ledger.Space {
		return nil, nil, "", env.Fail(InvalidInput, "It is there already").
			WithHint(env.Hint("Name another place: %s, or %s",
				Field("to_space", Placeholder("NAME")), Field("to_space", "own")))
	}
	return from, to, owner, nil
}

func spaceErrors() []errorCase {
	return []errorCase{
		ofType(func(env *Env, e *space.NoSpaceError) *Error {
			return env.Fail(NotFound, "No space %q is shared with you", e.Space).
				WithHint(env.Hint("See %s; an admin of a space adds its members", Use("space list")))
		}),
		ofType(func(env *Env, e *space.RoleError) *Error {
			refused := env.Fail(Forbidden, "Your role in the space %s is %s; this needs the role %s", e.Space, e.Has,
				e.Needs)
			if e.Needs == ledger.AdminRole {
				return refused.WithHint(env.Hint("Ask an admin of the space; see %s", Use("space members", e.Space)))
			}
			return refused.WithHint(env.Hint("An admin of the space changes roles: %s",
				Use("space grant", e.Space, Placeholder("MEMBER"), e.Needs)))
		}),
		ofType(func(env *Env, e *space.LastAdminError) *Error {
			return env.Fail(Conflict, "The space %s would have no admin", e.Space).
				WithHint(env.Hint("Make another member an admin first: %s",
					Use("space grant", e.Space, Placeholder("MEMBER"), "admin")))
		}),
		ofType(func(env *Env, e *space.FullError) *Error {
			return env.Fail(Conflict, "The space %s has records", e.Space).
				WithHint(env.Hint("Move them, or remove them with it: %s",
					Use("space remove", e.Space, Field("with_contents"))))
		}),
		ofType(func(env *Env, e *space.NameError) *Error {
			return env.Fail(InvalidInput, "The name of a space has up to %d letters, digits, dots, hyphens and "+
				"underscores, and is not own", e.MaxLength)
		}),
	}
}
