package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"techo/store/kv"
)

// KeysOfIDs returns the keys of records with ids.
func KeysOfIDs(ids []string, key func(id string) []byte) [][]byte {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = key(id)
	}
	return keys
}

// CheckEtag returns a ChangedError unless a record has the expected etag. "" expects
// nothing.
func CheckEtag(id, expected string, record interface{ Etag() (string, error) }) error {
	if expected == "" {
		return nil
	}
	now, err := record.Etag()
	if err == nil && now != expected {
		err = &ChangedError{ID: id, Etag: now}
	}
	return err
}

// Etag identifies the content of a record.
func Etag(record []byte) string {
	digest := sha256.Sum256(record)
	return ShortID(digest[:], 10)
}

// ShortID encodes the first bytes of a digest in n letters and digits that Google
// accepts in an id.
func ShortID(digest []byte, n int) string {
	var id [32]byte
	base32.HexEncoding.Encode(id[:], digest[:20])
	for i, c := range id {
		if c >= 'A' {
			id[i] = c + 'a' - 'A'
		}
	}
	return string(id[:n])
}

func AppendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// FieldReader reads the fields of a packed record. After an error it reads zero
// fields.
type FieldReader struct {
	B   []byte
	Err error
}

var errShortRecord = errors.New("it is cut off")

func (r *FieldReader) Bytes(n uint64) []byte {
	if r.Err != nil || n > uint64(len(r.B)) {
		r.Err = errShortRecord
		return nil
	}
	b := r.B[:n]
	r.B = r.B[n:]
	return b
}

func (r *FieldReader) Byte() byte {
	if b := r.Bytes(1); r.Err == nil {
		return b[0]
	}
	return 0
}

func (r *FieldReader) fixed() uint64 {
	if b := r.Bytes(8); r.Err == nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *FieldReader) Number() uint64 {
	if len(r.B) > 0 && r.B[0] < 0x80 { // most are small
		n := r.B[0]
		r.B = r.B[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.B)
	if size <= 0 {
		r.Err = errShortRecord
		return 0
	}
	r.B = r.B[size:]
	return n
}

func (r *FieldReader) Text() string { return string(r.Bytes(r.Number())) }

// Load decodes the JSON under a key into v. It clears v first, because a transaction may
// run again.
func Load[T any](tx *Tx, key []byte, v *T) error {
	b, err := tx.Get(key)
	if err != nil {
		*v = *new(T)
		return err
	}
	return Decode(key, b, v)
}

// Decode decodes the JSON under a key.
func Decode[T any](key, b []byte, v *T) error {
	*v = *new(T)
	if err := json.Unmarshal(b, v); err != nil {
		return &kv.CorruptError{Path: string(key), Reason: kv.ReasonOf(err)}
	}
	return nil
}

// Save stores v as JSON under a key.
func Save(tx *Tx, key []byte, v any) error {
	b, err := Encode(v)
	if err != nil {
		return err
	}
	return tx.Put(key, b)
}

// Encode returns v as JSON. Unlike json.Marshal it does not escape <, > and &,
// which would take six bytes each.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// DeletePrefix deletes all keys with a prefix.
func (tx *Tx) DeletePrefix(prefix []byte) error {
	var keys [][]byte
	for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		keys = append(keys, slices.Clone(item.Key))
	}
	return tx.DeleteKeys(keys)
}

// ScanPrefixes calls use with a copy of each key, and its value, in the order of
// the prefixes.
func (tx *Tx) ScanPrefixes(prefixes []Prefix, use func(key, value []byte) error) error {
	for _, s := range prefixes {
		for p, err := range kv.Pairs(tx, kv.Range{Prefix: s.All()}) {
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

func (tx *Tx) DeleteKeys(keys [][]byte) error {
	for _, key := range keys {
		if err := tx.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// Description is the text of a record: a line for each field that is set.
type Description struct{ strings.Builder }

func (d *Description) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *Description) Field(name, value string) {
	switch {
	case value == "":
	case strings.Contains(value, "\n"):
		d.line("%s:\n  %s", name, strings.ReplaceAll(value, "\n", "\n  "))
	default:
		d.line("%s: %s", name, value)
	}
}

// Describing begins the text of a record.
func Describing(kind Kind, id string) *Description {
	d := &Description{}
	d.line("%s %s", kind, id)
	return d
}
