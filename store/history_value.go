package store

// # Values in the history
//
// The value of a record is the value under its key. The value of an event or a to-do
// begins with the key of its calendar, a text, which is in the key of its record only. The
// value of a calendar is its name (history_rename.go).

// currentOf returns the values that the records of a change have now, in their order; nil stands
// for a missing one.
func currentOf(tx *Tx, c Change) (values [][]byte, err error) {
	values = make([][]byte, len(c.Records))
	at := map[Kind][]int{}
	for i, r := range c.Records {
		at[r.Kind] = append(at[r.Kind], i)
	}
	for kind, places := range at {
		current := tx.ledger.schemas.of(kind).Current
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

// currentValue returns the value of one record of a change now, nil for a missing one.
func currentValue(tx *Tx, c Change, r ChangedRecord) ([]byte, error) {
	c.Records = []ChangedRecord{r}
	values, err := currentOf(tx, c)
	if err != nil {
		return nil, err
	}
	return values[0], nil
}
