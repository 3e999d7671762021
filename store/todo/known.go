package todo

import (
	"techo/store/event"
)

// ReadKnown reads together what an import of to-dos into a calendar looks up.
func (d Tx) ReadKnown(calendar string, all []Todo) error {
	key, err := event.KeyOf(d.Ev, calendar)
	if err != nil {
		return err
	}
	return event.KnownRecords{
		Calendar: key, N: len(all), UIDs: UIDs, Place: PlaceKey,
		Event: func(i int) *event.Event { return &all[i].Event },
		Record: func(id string) ([]byte, error) {
			place, err := d.Ev.Tx.Get(PlaceKey(id))
			return Key(string(place), id), err
		},
		Free: func(e *event.Event) [][]byte {
			id := event.ShortEventID(todoIDSeed(todoSeed(calendar, e.UID, e.RecurrenceID)))
			return [][]byte{event.Key(id), PlaceKey(id)}
		},
	}.Read(d.Ev)
}
