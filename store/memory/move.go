package memory

import (
	"context"

	"golang.org/x/text/unicode/norm"

	"techo/store/ledger"
)

// Move moves a memory of a user to another one, in another space.
func Move(ctx context.Context, from, to *ledger.Ledger, user, newUser, id string) (m Memory, err error) {
	err = ledger.UpdateBoth(ctx, from, to, func(here, there *ledger.Tx) error {
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
		m.User, m.Alike = norm.NFC.String(newUser), nil // which are not there
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
