package replica

import (
	"bufio"
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// A segment is a file of one machine: JSON Lines, compressed and encrypted to the key of the
// notebook. The first line is a header. Then come parts: a line with the number of the part and what
// the machine had seen, and a line for each version that it said there. A plain segment has one part;
// a snapshot has all parts up to its number that still matter. The last line counts the versions, so
// that a segment is complete or not there.
//
// Only who has the key can form a segment: the recipient to which it is encrypted derives from the
// key and is written nowhere.

// format is the version of the files. A machine refuses newer ones.
const format = 1

// header is the first line of a segment.
type header struct {
	Format   int    `json:"format"`
	Notebook string `json:"notebook"`
	Machine  string `json:"machine"`
	Name     string `json:"name"` // of the machine, for people
	Number   uint64 `json:"number"`
	Before   string `json:"before,omitempty"`   // hash of the segment before; in a snapshot, of its last segment
	Snapshot bool   `json:"snapshot,omitempty"` // it stands for all segments up to its number
	At       int64  `json:"written_at"`         // milliseconds since 1970
	Left     bool   `json:"left,omitempty"`     // the machine has left the notebook
}

// part is a line before the versions of a part.
type part struct {
	Number uint64 `json:"part"`
	Seen   Seen   `json:"seen"`
}

// said is a line with a version.
type said struct {
	ID
	Version
}

// end is the last line.
type end struct {
	Versions *int `json:"versions"`
}

// line is any line after the header.
type line struct {
	part
	said
	end
}

// Limits of what is read from a place that others can write to.
const (
	maxSegment = 256 << 20 // bytes of a file
	maxLine    = 64 << 20  // bytes of a line
	maxWindow  = 64 << 20  // bytes of memory for decompression
)

// Fault is why a file of a place is not applied.
type Fault int

// The faults.
const (
	Damaged     Fault = iota // changed, or written with another key
	CutOff                   // not complete
	Newer                    // of a newer version of techo
	Misplaced                // a copy of another file
	Replaced                 // it does not follow the segment before
	NotArrived               // later segments are there
	ForeignName              // another program made it
	Irregular                // no file, or too large
	Pending                  // a sync would apply it
)

// BadSegmentError reports a file that is not applied.
type BadSegmentError struct{ Fault Fault }

func (e *BadSegmentError) Error() string {
	return "segment: " + [...]string{"damaged, or of another key", "cut off", "of a newer version", "a copy of another one",
		"does not follow the one before", "has not arrived", "has a foreign name", "no regular file, or too large",
		"not applied yet"}[e.Fault]
}

func bad(fault Fault) error { return &BadSegmentError{fault} }

// encode returns a segment as bytes. The versions are in the order of their segments; seen returns what the
// machine had seen when it wrote one.
func encode(identity *age.X25519Identity, h header, versions []said, seen func(number uint64) Seen) ([]byte, error) {
	var out bytes.Buffer
	encrypted, err := age.Encrypt(&out, identity.Recipient())
	if err != nil {
		return nil, err
	}
	packed, err := zstd.NewWriter(encrypted, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	lines := json.NewEncoder(packed)
	lines.SetEscapeHTML(false)
	err = lines.Encode(h)
	current := uint64(0)
	begin := func(number uint64) {
		if current != number {
			err = errors.Join(err, lines.Encode(part{number, seen(number)}))
			current = number
		}
	}
	for _, v := range versions {
		begin(v.Segment)
		err = errors.Join(err, lines.Encode(v))
	}
	begin(h.Number)
	n := len(versions)
	err = errors.Join(err, lines.Encode(end{&n}), packed.Close(), encrypted.Close())
	return out.Bytes(), err
}

// decode reads a segment. It calls use for each version, in order; with use nil it only checks
// that the segment is whole.
func decode(identity *age.X25519Identity, file []byte, use func(part, said) error) (h header, last part, err error) {
	plain, err := age.Decrypt(bytes.NewReader(file), identity)
	if err != nil {
		return h, last, bad(Damaged)
	}
	unpacked, err := zstd.NewReader(plain, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		return h, last, err
	}
	defer unpacked.Close()
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &h) != nil {
		return h, last, bad(Damaged)
	}
	if h.Format > format {
		return h, last, bad(Newer)
	}
	n, ended := 0, false
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || ended {
			return h, last, bad(Damaged)
		}
		switch {
		case l.Versions != nil:
			ended = *l.Versions == n
		case l.Number != 0:
			last = l.part
		default:
			n++
			if use == nil {
				break
			}
			if err := use(last, l.said); err != nil {
				return h, last, err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return h, last, bad(Damaged)
	}
	if _, err := io.Copy(io.Discard, plain); err != nil {
		return h, last, bad(Damaged)
	}
	if !ended {
		return h, last, bad(CutOff)
	}
	return h, last, nil
}

// hashOf identifies a file.
func hashOf(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// proofOf returns what shows that a key belongs to a notebook. It reveals nothing about the key.
func proofOf(identity *age.X25519Identity, notebook string) string {
	key, err := hkdf.Key(sha256.New, []byte(identity.String()), nil, "techo notebook", 32)
	if err != nil {
		panic(err) // the length is allowed
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(notebook))
	return hex.EncodeToString(mac.Sum(nil))
}
