package memo

import (
	"techo/store/ledger"
)

// Etag returns a text that changes with every change of the memo.
func (m *Memo) Etag() (string, error) {
	b, err := ledger.Encode(RecordOf(m))
	return ledger.Etag(b), err
}
