package store

// Etag returns a text that changes with every change of the memo.
func (m *Memo) Etag() (string, error) {
	b, err := encode(recordOf(m))
	return etag(b), err
}
