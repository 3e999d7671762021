package store

// The prefixes of the keys of shared spaces.
const (
	spaceNames    space = "xn"
	spaceNumbers  space = "xc"
	memberships   space = "xu"
	invitations   space = "xi"
	removedSpaces space = "xd"
)

// membershipKey is the key of a membership; with name "" it is the prefix of all
// memberships of a user.
func membershipKey(user, name string) []byte { return append(memberships.named(user), name...) }

// invitationKey is membershipKey for an invitation.
func invitationKey(user, name string) []byte { return append(invitations.named(user), name...) }

func removedSpaceKey(number uint64) []byte { return removedSpaces.number(number) }
