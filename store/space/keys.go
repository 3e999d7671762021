package space

import (
	"techo/store/ledger"
)

// The prefixes of the keys of shared spaces.
const (
	byName      ledger.Prefix = "xn"
	lastNumber  ledger.Prefix = "xc"
	memberships ledger.Prefix = "xu"
	invitations ledger.Prefix = "xi"
	removedOnes ledger.Prefix = "xd"
)

// membershipKey is the key of a membership; with name "" it is the prefix of all
// memberships of a user.
func membershipKey(user, name string) []byte { return append(memberships.Named(user), name...) }

func invitationKey(user, name string) []byte { return append(invitations.Named(user), name...) }

func removedSpaceKey(number uint64) []byte { return removedOnes.Number(number) }
