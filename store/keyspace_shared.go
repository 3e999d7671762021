package store

// # Shared spaces

// membershipKey is the key of a membership; with name "" it is the prefix of all
// memberships of a user.
func membershipKey(user, name string) []byte { return append(memberships.named(user), name...) }

// invitationKey is membershipKey for an invitation.
func invitationKey(user, name string) []byte { return append(invitations.named(user), name...) }

func removedSpaceKey(number uint64) []byte { return removedSpaces.number(number) }

// sharedPrefix precedes the keys of a shared space.
func sharedPrefix(number uint64) []byte { return sharedRecords.number(number) }

// cutShared splits a key of a shared space into the number of the space and the key.
func cutShared(key []byte) (number uint64, within []byte, ok bool) {
	number, ok = cutNumber(rest(key))
	if !ok {
		return 0, nil, false
	}
	return number, rest(key)[8:], true
}
