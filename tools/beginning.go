package tools

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"techo/store"
	"techo/store/ledger"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

// mostCandidates is the number of ids that the error for an ambiguous beginning lists.
const mostCandidates = 5

// wholeIDs returns an input in which the beginnings of ids are whole ids, and notes these
// conversions. A beginning stands for an id only if no other id of its kind begins with it. What
// begins no id stays as it is: the tool reports it.
func wholeIDs(ctx context.Context, env *Env, t *Tool, input []byte, c *schema.Conversions) ([]byte, error) {
	var document *jsontree.Node
	changed := false
	for _, p := range t.Input().Properties {
		of := p.Schema
		if p.Kind == schema.Array {
			of = p.Items
		}
		if !store.HasBeginnings(ledger.Kind(of.Record)) {
			continue
		}
		if document == nil {
			var err error
			if document, err = jsontree.Parse(input); err != nil {
				return nil, err
			}
		}
		given := document.Member(p.Name)
		if given == nil {
			continue
		}
		ids, path := []*jsontree.Node{given}, "/"+p.Name
		if given.Kind == '[' {
			ids = given.Items
		}
		for i, id := range ids {
			at := path
			if given.Kind == '[' {
				at += "/" + strconv.Itoa(i)
			}
			whole, err := wholeID(ctx, env, t, ledger.Kind(of.Record), at, id.Text)
			if err != nil {
				return nil, err
			}
			if whole != id.Text {
				c.Replaced(at, id.Text, whole)
				id.Text, changed = whole, true
			}
		}
	}
	if !changed {
		return input, nil
	}
	return document.Append(nil), nil
}

// wholeID returns the only id of a kind that begins with a text, or the text if there is none.
func wholeID(ctx context.Context, env *Env, t *Tool, kind ledger.Kind, path, text string) (string, error) {
	begins, occurrence := text, ""
	if i := strings.IndexByte(text, '_'); i > 0 && (kind == ledger.KindEvent || kind == ledger.KindTodo) {
		begins, occurrence = text[:i], text[i:]
	}
	if !store.IsBeginning(kind, begins) {
		return text, nil
	}
	places, err := placesOfIDs(ctx, env, t)
	if err != nil {
		return text, nil // the tool reports that the store cannot be read, or needs none
	}
	var found, shown []string
	for _, from := range places {
		owner := env.User
		if from.Space != "" {
			owner = from.Space
		}
		ids, err := from.Beginning(ctx, kind, owner, begins, mostCandidates+1)
		if err != nil {
			return text, nil // likewise
		}
		for _, id := range ids {
			if id == begins {
				return text, nil
			}
			if !slices.Contains(found, id) {
				found = append(found, id)
				title := strings.Join(strings.Fields(from.Title(ctx, kind, owner, id, env.Zone)), " ")
				shown = append(shown, strings.TrimSpace(id+" "+jsontree.Cut(title, 60)))
			}
		}
	}
	switch len(found) {
	case 0:
		return text, nil
	case 1:
		return found[0] + occurrence, nil
	}
	return "", env.ambiguous(path, begins, shown)
}

// placesOfIDs returns the places that may have the records that a call names.
func placesOfIDs(ctx context.Context, env *Env, t *Tool) ([]Source, error) {
	if t.Sharing == AllSpaces {
		return Sources(ctx, env)
	}
	st, err := env.Store(ctx, Reads)
	return []Source{{st, env.space}}, err
}

// ambiguous returns the error for the beginning of several ids.
func (env *Env) ambiguous(path, begins string, shown []string) *Error {
	list := strings.Join(shown[:min(len(shown), mostCandidates)], env.Localize(", "))
	if len(shown) > mostCandidates {
		list += ", …"
	}
	e := env.Fail(Conflict, "Several ids begin with %s: %s", begins, list).
		WithHint(env.Hint("Write more of the id"))
	for _, one := range shown[:min(len(shown), mostCandidates)] {
		e.Details = append(e.Details, Detail{Path: path, Message: one})
	}
	return e
}
