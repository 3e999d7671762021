package space

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/ledger"
)

// # Searches in several sources
//
// A search may look at the user's own records and the records of the user's spaces. It is
// one transaction, so that all are of one moment, and so are the roles. Each source has an
// index of its own; search.Find searches them together.

// Sources are where a search looks. The zero value is nowhere.
type Sources struct {
	User   string                 // whose memories and spaces
	Own    bool                   // in the store itself: the user's own records or, in a space, its records
	Spaces func(name string) bool // in the spaces of the user for which it is true; nil: in none
}

type membership struct {
	name   string
	number uint64
	role   ledger.Role
}

// Within returns the transaction of the space.
func (m membership) Within(tx *ledger.Tx, user string) *ledger.Tx {
	return tx.In(ledger.Place{Number: m.number, Name: m.name, User: user, Role: m.role})
}

// MembershipsOf returns the spaces of a user, by name.
func MembershipsOf(tx *ledger.Tx, user string) (all []membership, err error) {
	return rolesUnder(tx, membershipKey(norm.NFC.String(user), ""))
}

// rolesUnder returns the spaces and roles in the entries of a user under a prefix.
func rolesUnder(tx *ledger.Tx, prefix []byte) (all []membership, err error) {
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: prefix, Limit: Max}) {
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(string(p.Key), string(prefix))
		number, role, ok := cutMembership(p.Value)
		if !ok || role < ledger.ReadRole {
			return nil, ledger.Finding(ledger.Unreadable, ledger.KindSpace, name, nil)
		}
		all = append(all, membership{name, number, role})
	}
	return all, nil
}

func (p Sources) joinedSpaces(tx *ledger.Tx) (all []membership, err error) {
	if p.Spaces == nil {
		return nil, nil
	}
	joined, err := MembershipsOf(tx, p.User)
	for _, m := range joined {
		if p.Spaces(m.name) {
			all = append(all, m)
		}
	}
	return all, err
}

// Source is one of the sources of a search.
type Source struct {
	*ledger.Ledger
	Owner  string // user of the memories there
	within func(*ledger.Tx) *ledger.Tx
}

// Open returns the sources of a search, the store itself first, after it has called
// first for each of them in its transaction.
func (p Sources) Open(tx *ledger.Tx, s *ledger.Ledger, first func(*Source, *ledger.Tx) error) (sources []*Source,
	err error) {
	own := &Source{s, p.User, func(tx *ledger.Tx) *ledger.Tx { return tx }}
	if s.Space != "" {
		own.Owner = s.Space
	}
	joined, err := p.joinedSpaces(tx)
	if err != nil {
		return nil, err
	}
	if p.Own {
		sources = append(sources, own)
	}
	for _, m := range joined {
		sources = append(sources, &Source{Of(s).In(m.name, p.User), m.name,
			func(tx *ledger.Tx) *ledger.Tx { return m.Within(tx, p.User) }})
	}
	for _, at := range sources {
		if err := first(at, at.within(tx)); err != nil {
			return nil, err
		}
	}
	return sources, nil
}
