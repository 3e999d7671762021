package store

// readKnown reads together what an import of to-dos into a calendar looks up.
func (d todoTx) readKnown(calendar string, all []Todo) error {
	key, err := keyOf(d.ev, calendar)
	if err != nil {
		return err
	}
	return knownRecords{
		tx: d.ev.tx, calendar: key, n: len(all), uids: todoUIDs, place: todoPlaceKey,
		event: func(i int) *Event { return &all[i].Event },
		record: func(id string) ([]byte, error) {
			place, err := d.ev.tx.Get(todoPlaceKey(id))
			return todoKey(string(place), id), err
		},
		free: func(e *Event) [][]byte {
			id := shortEventID(todoIDSeed(todoSeed(calendar, e.UID, e.RecurrenceID)))
			return [][]byte{eventKey(id), todoPlaceKey(id)}
		},
	}.read()
}
