package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"

	"techo/internal/plainjson"
	"techo/store/kv"
)

// keysOfIDs returns the keys of records with ids.
func keysOfIDs(ids []string, key func(id string) []byte) [][]byte {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = key(id)
	}
	return keys
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

// etag identifies the content of a record.
func etag(record []byte) string {
	digest := sha256.Sum256(record)
	return shortID(digest[:], 10)
}

// shortID encodes the first bytes of a digest in n letters and digits that Google
// accepts in an id.
func shortID(digest []byte, n int) string {
	var id [32]byte
	base32.HexEncoding.Encode(id[:], digest[:20])
	for i, c := range id {
		if c >= 'A' {
			id[i] = c + 'a' - 'A'
		}
	}
	return string(id[:n])
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// fieldReader reads the fields of a packed record. After an error it reads zero
// fields.
type fieldReader struct {
	b   []byte
	err error
}

var errShortRecord = errors.New("it is cut off")

func (r *fieldReader) bytes(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.b)) {
		r.err = errShortRecord
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *fieldReader) byte() byte {
	if b := r.bytes(1); r.err == nil {
		return b[0]
	}
	return 0
}

func (r *fieldReader) fixed() uint64 {
	if b := r.bytes(8); r.err == nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *fieldReader) number() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.err = errShortRecord
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *fieldReader) text() string { return string(r.bytes(r.number())) }

// load decodes the JSON under a key into v. It clears v first, because a transaction may
// run again.
func load[T any](tx *Tx, key []byte, v *T) error {
	b, err := tx.Get(key)
	if err != nil {
		*v = *new(T)
		return err
	}
	return decode(key, b, v)
}

// decode decodes the JSON under a key.
func decode[T any](key, b []byte, v *T) error {
	*v = *new(T)
	if err := plainjson.Unmarshal(b, v); err != nil {
		return &kv.CorruptError{Path: string(key), Reason: kv.ReasonOf(err)}
	}
	return nil
}

// save stores v as JSON under a key.
func save(tx *Tx, key []byte, v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	return tx.Put(key, b)
}

// encode returns v as JSON. Unlike json.Marshal it does not escape <, > and &,
// which would take six bytes each.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// deleteSpace deletes all keys with a prefix.
func deleteSpace(tx *Tx, prefix []byte) error {
	var keys [][]byte
	for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		keys = append(keys, slices.Clone(item.Key))
	}
	return deleteKeys(tx, keys)
}

// scanSpaces calls use with a copy of each key, and its value, in the order of
// the spaces.
func scanSpaces(tx *Tx, spaces []space, use func(key, value []byte) error) error {
	for _, s := range spaces {
		for p, err := range kv.Pairs(tx, kv.Range{Prefix: s.all()}) {
			if err != nil {
				return err
			}
			if err := use(bytes.Clone(p.Key), p.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func deleteKeys(tx *Tx, keys [][]byte) error {
	for _, key := range keys {
		if err := tx.Delete(key); err != nil {
			return err
		}
	}
	return nil
}
