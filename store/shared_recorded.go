package store

// spaceRecorded describes the members of a shared space for the history.
func spaceRecorded() Recorded {
	return Recorded{
		Kind: KindSpace, Prefixes: []space{spaceMembers},
		ID: func([]byte) (string, bool) { return "members", true },
		Current: func(tx *Tx, _ string, ids []string) ([][]byte, error) {
			return tx.GetMany(keysOfIDs(ids, func(string) []byte { return spaceMembers.all() }))
		},
		Describe: describeSpace, Restore: restoreSpace,
	}
}

func describeSpace(_ *Tx, id string, value []byte) (title, text string, err error) {
	r, err := decodeMembers(value)
	if err != nil {
		return "", "", err
	}
	d := describing(KindSpace, id)
	d.field("name", r.Name)
	for _, m := range r.shared(NoRole).Members {
		d.field("member", m.User+" ("+m.Role.String()+")")
	}
	for _, m := range r.shared(NoRole).Invited {
		d.field("invited", m.User+" ("+m.Role.String()+")")
	}
	return r.Name, d.String(), nil
}
