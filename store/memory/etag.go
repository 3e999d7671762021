package memory

import (
	"techo/store/ledger"
)

// Etag returns a text that changes with every change of the memory.
func (m *Memory) Etag() (string, error) {
	own := *m
	own.CreatedAt, own.UpdatedAt, own.ExpiresAt = own.CreatedAt.UTC(), own.UpdatedAt.UTC(), own.ExpiresAt.UTC()
	own.ConfirmedAt = own.ConfirmedAt.UTC()
	b, err := ledger.Encode(own)
	return ledger.Etag(b), err
}
