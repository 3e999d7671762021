package space

import (
	"techo/store/ledger"
)

// recorded describes the members of a shared space for the history.
func recorded() ledger.Recorded {
	return ledger.Recorded{
		Kind: ledger.KindSpace, Prefixes: []ledger.Prefix{ledger.SpaceMembers},
		ID: func([]byte) (string, bool) { return "members", true },
		Current: func(tx *ledger.Tx, _ string, ids []string) ([][]byte, error) {
			return tx.GetMany(ledger.KeysOfIDs(ids, func(string) []byte { return ledger.SpaceMembers.All() }))
		},
		Describe: describe, Restore: restore,
	}
}

func describe(_ *ledger.Tx, id string, value []byte) (title, text string, err error) {
	r, err := decodeMembers(value)
	if err != nil {
		return "", "", err
	}
	d := ledger.Describing(ledger.KindSpace, id)
	d.Field("name", r.Name)
	for _, m := range r.shared(ledger.NoRole).Members {
		d.Field("member", m.User+" ("+m.Role.String()+")")
	}
	for _, m := range r.shared(ledger.NoRole).Invited {
		d.Field("invited", m.User+" ("+m.Role.String()+")")
	}
	return r.Name, d.String(), nil
}
