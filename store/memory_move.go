package store

import (
	"context"

	"golang.org/x/text/unicode/norm"
)

// MoveMemory moves a memory of a user to another one, in another space.
func MoveMemory(ctx context.Context, from, to *Ledger, user, newUser, id string) (m Memory, err error) {
	err = updateBoth(ctx, from, to, func(here, there *Tx) error {
		u, r, err := changeableMemory(here, user, id)
		if err != nil {
			return err
		}
		if err := dropMemories(here, &u, r); err != nil {
			return err
		}
		if err := u.save(here); err != nil {
			return err
		}
		m = r.memory()
		m.User = norm.NFC.String(newUser)
		added, err := addDrafts(there, m.User, []Draft{NewDrafter().Draft(m)})
		if err != nil {
			return err
		}
		if m = added[0].Memory; added[0].Err == nil && !added[0].Created {
			return &SameTextError{m.ID}
		}
		return added[0].Err
	})
	return m, err
}
