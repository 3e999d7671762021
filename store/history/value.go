package history

import (
	"techo/store/ledger"
)

// # Values in the history
//
// The value of a record is the value under its key. The value of an event or a to-do
// begins with the key of its calendar, a text, which is in the key of its record only. The
// value of a calendar is its name.

// currentOf returns the values that the records of a change have now, in their order; nil stands
// for a missing one.
func currentOf(tx *ledger.Tx, c ledger.Change) (values [][]byte, err error) {
	values = make([][]byte, len(c.Records))
	at := map[ledger.Kind][]int{}
	for i, r := range c.Records {
		at[r.Kind] = append(at[r.Kind], i)
	}
	for kind, places := range at {
		current := tx.Ledger.Schemas.Of(kind).Current
		if current == nil {
			continue
		}
		var ids []string
		for _, i := range places {
			ids = append(ids, c.Records[i].ID)
		}
		found, err := current(tx, c.Owner, ids)
		if err != nil {
			return nil, err
		}
		for n, i := range places {
			values[i] = found[n]
		}
	}
	return values, nil
}

// CurrentValue returns the value of one record of a change now, nil for a missing one.
func CurrentValue(tx *ledger.Tx, c ledger.Change, r ledger.ChangedRecord) ([]byte, error) {
	c.Records = []ledger.ChangedRecord{r}
	values, err := currentOf(tx, c)
	if err != nil {
		return nil, err
	}
	return values[0], nil
}
