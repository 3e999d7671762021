package store

// Etag returns a text that changes with every change of the memo.
func (m *Memo) Etag() (string, error) {
	b, err := encode(recordOf(m))
	return etag(b), err
}

// Etag returns a text that changes with every change of the memory.
func (m *Memory) Etag() (string, error) {
	own := *m
	own.CreatedAt, own.UpdatedAt, own.ExpiresAt = own.CreatedAt.UTC(), own.UpdatedAt.UTC(), own.ExpiresAt.UTC()
	b, err := encode(own)
	return etag(b), err
}

// checkEtag returns a ChangedError unless a record has the expected etag. "" expects
// nothing.
func checkEtag(id, expected string, record interface{ Etag() (string, error) }) error {
	if expected == "" {
		return nil
	}
	now, err := record.Etag()
	if err == nil && now != expected {
		err = &ChangedError{ID: id, Etag: now}
	}
	return err
}
