package history

import (
	"techo/store/ledger"
)

// laterVersions compares records with what a change made of them. At a CalDAV
// server an undo makes a new version of an event, so that other programs accept the previous
// content: with a higher sequence number, and with times of whole seconds.
type laterVersions struct {
	tx    *ledger.Tx
	c     ledger.Change
	newer *newerChanges // nil until it is needed
}

// equal reports whether the value of a record is another version of the one after the
// change.
func (l *laterVersions) equal(r ledger.ChangedRecord, value []byte) (bool, error) {
	kind := l.tx.Ledger.Schemas.Of(r.Kind)
	if value == nil || !r.Exists || kind.Versioned == nil {
		return false, nil
	}
	if versioned, err := kind.Versioned(l.tx, value); err != nil || !versioned {
		return false, err
	}
	if l.newer == nil {
		l.newer = newNewerChanges(l.tx)
		err := scanChanges(l.tx, l.c.ID, func(c ledger.Change) error {
			l.newer.pass(c)
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	after, known, err := l.newer.valueAfter(l.c, r)
	if err != nil || !known || kind.Digest(after) != r.After {
		return false, err
	}
	return kind.Same(after, value)
}
