package store

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// # Searches in several sources
//
// A search may look at the user's own records and the records of the user's spaces. It is
// one transaction, so that all are of one moment, and so are the roles. Each source has an
// index of its own; search.Together makes their scores comparable.

// Sources are where a search looks. The zero value is nowhere.
type Sources struct {
	User   string                 // whose memories and spaces
	Own    bool                   // in the store itself: the user's own records or, in a space, its records
	Spaces func(name string) bool // in the spaces of the user for which it is true; nil: in none
}

// membership is a space that a user is a member of.
type membership struct {
	name   string
	number uint64
	role   Role
}

// within returns the transaction of the space.
func (m membership) within(tx *Tx, user string) *Tx {
	return tx.in(sharedPlace{number: m.number, name: m.name, user: user, role: m.role})
}

func membershipsRange(user string) kv.Range {
	return kv.Range{Prefix: membershipKey(norm.NFC.String(user), ""), Limit: MaxSpaces}
}

// membershipsOf returns the spaces of a user, by name.
func membershipsOf(tx *Tx, user string) (all []membership, err error) {
	r := membershipsRange(user)
	for p, err := range kv.Pairs(tx, r) {
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(string(p.Key), string(r.Prefix))
		number, role, ok := cutMembership(p.Value)
		if !ok || role < ReadRole {
			return nil, finding(Unreadable, KindSpace, name, nil)
		}
		all = append(all, membership{name, number, role})
	}
	return all, nil
}

// joinedSpaces returns the spaces of a search.
func (p Sources) joinedSpaces(tx *Tx) (all []membership, err error) {
	if p.Spaces == nil {
		return nil, nil
	}
	joined, err := membershipsOf(tx, p.User)
	for _, m := range joined {
		if p.Spaces(m.name) {
			all = append(all, m)
		}
	}
	return all, err
}

// source is one of the sources of a search.
type source struct {
	*Store
	owner  string // user of the memories there
	within func(*Tx) *Tx
}

// open returns the sources of a search, the store itself first, after it has called
// first for each of them in its transaction.
func (p Sources) open(tx *Tx, s *Store, first func(*source, *Tx) error) (sources []*source, err error) {
	own := &source{s, p.User, func(tx *Tx) *Tx { return tx }}
	if s.space != "" {
		own.owner = s.space
	}
	joined, err := p.joinedSpaces(tx)
	if err != nil {
		return nil, err
	}
	if p.Own {
		sources = append(sources, own)
	}
	for _, m := range joined {
		sources = append(sources, &source{SpacesOf(s).In(m.name, p.User), m.name,
			func(tx *Tx) *Tx { return m.within(tx, p.User) }})
	}
	return sources, eachSource(tx, sources, first)
}

// eachSource calls fn for each source, in its transaction.
func eachSource(tx *Tx, sources []*source, fn func(*source, *Tx) error) error {
	for _, p := range sources {
		if err := fn(p, p.within(tx)); err != nil {
			return err
		}
	}
	return nil
}
