package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
)

// step is a transaction of the journal: its payload, or the known keys of a
// damaged one.
type step struct {
	payload []byte
	keys    []byte // from the key file
	guessed []byte // operations with keys that were read without a checksum
}

// take copies a transaction to the new store.
func (r *rescue) take(s step) (err error) {
	operations(s.payload, func(op byte, key, value []byte) {
		if err == nil {
			err = r.put(op, key, value)
		}
	})
	claims(s.keys, func(key []byte, c keyClaim) {
		if err == nil {
			err = r.missed(key, doubt{c, true})
		}
	})
	operations(s.guessed, func(op byte, key, value []byte) {
		if err == nil {
			err = r.missed(key, doubt{keyClaim{sum(key, value), op == opDelete}, false})
		}
	})
	return err
}

// journal returns the generation and the journal's transactions in order.
func (r *rescue) journal() (steps []step, err error) {
	path := filepath.Join(r.dir, journalName)
	data, err := r.read(path, journalName)
	var corrupt *CorruptError
	if errors.Is(err, os.ErrNotExist) || errors.As(err, &corrupt) {
		r.Findings = append(r.Findings, Finding{path, reasonOrMissing(err)})
		r.findGeneration()
		return r.withoutJournal(path), nil
	}
	if err != nil {
		return nil, err
	}
	short := len(data) < framesAt
	if short {
		r.found(path, CutOff, len(data))
		data = append(data, make([]byte, framesAt-len(data))...)
	}
	j := &journal{path: path}
	r.generation, err = j.readHeader(data)
	if errors.As(err, new(*VersionError)) {
		return nil, err
	}
	all := framesIn(data, framesAt)
	of := r.generation // the generation of the frames to use
	if err != nil {
		if !short {
			r.Findings = append(r.Findings, Finding{path, ReasonOf(err)})
		}
		// The generation is unknown. The newest frames are the newest records with
		// any tables: after a compaction that did not finish, its tables have the
		// same records.
		r.findGeneration()
		of = 0
		for _, f := range all {
			of = max(of, f.generation)
		}
		if of == 0 {
			return r.withoutJournal(path), nil
		}
		r.generation = max(r.generation, of)
	}
	j.generation = of
	return r.inOrder(j, all, data), nil
}

// withoutJournal returns the entries of the key file for the transactions of an
// unreadable journal. r.generation is the generation of the tables.
func (r *rescue) withoutJournal(path string) (steps []step) {
	of, keys := r.readJournalKeys(0)
	// The tables of a merge that did not finish hold what the journal had then.
	if len(keys) == 0 || of+1 < r.generation {
		r.Unnamed++
		r.found(path, LostSinceMerge)
		return nil
	}
	last := uint64(0)
	for n := range keys {
		last = max(last, n+1)
	}
	if of >= r.generation { // otherwise the tables have them
		r.found(path, LostTransactions, last)
	}
	return r.missing(path, keys, 0, last, nil)
}

// inOrder returns the transactions of a generation, including the missing ones.
func (r *rescue) inOrder(j *journal, all []foundFrame, data []byte) (steps []step) {
	_, keys := r.readJournalKeys(j.generation)
	for _, f := range all {
		if k := keys[f.number]; k != nil && f.generation == j.generation && !bytes.Equal(k, claimsOf(f.payload)) {
			keys = nil // the key file belongs to another journal
		}
	}
	next, from := uint64(0), framesAt
	for _, f := range all {
		if f.generation != j.generation || f.number < next {
			continue
		}
		if f.number > next {
			r.found(j.path, DamagedBefore, f.number-next, f.number+1)
			steps = append(steps, r.missing(j.path, keys, next, f.number, data[from:f.at])...)
		}
		steps = append(steps, step{payload: f.payload})
		next, from = f.number+1, f.end()
	}
	last, _ := j.readWatermark(data)
	for n := range keys {
		last = max(last, n+1)
	}
	if last > next {
		r.found(j.path, DamagedLast, last-next)
		steps = append(steps, r.missing(j.path, keys, next, last, data[from:])...)
	}
	return steps
}

// missing returns the known keys of the damaged transactions with numbers in
// [from, to). data holds the bytes in their place.
func (r *rescue) missing(path string, keys map[uint64][]byte, from, to uint64, data []byte) (steps []step) {
	unknown := uint64(0)
	for n := from; n < to && n-from < 1<<20; n++ {
		if k := keys[n]; k != nil {
			steps = append(steps, step{keys: k})
		} else {
			unknown++
		}
	}
	if unknown == 0 {
		return steps
	}
	r.Unnamed++
	r.found(path, UnnamedTransactions, unknown, from+1, to)
	return append(steps, step{guessed: guessedKeys(data)})
}

// claimsOf returns the key file's payload for a transaction.
func claimsOf(payload []byte) (keys []byte) {
	operations(payload, func(op byte, key, value []byte) { keys = appendKey(keys, op, key, value) })
	return keys
}

// guessedKeys parses damaged frames as far as they look like operations.
func guessedKeys(data []byte) (guessed []byte) {
	for len(data) > frameHeader {
		length := min(int(binary.BigEndian.Uint32(data)), len(data)-frameHeader)
		for rest := data[frameHeader:][:length]; len(rest) > 0; {
			op := rest[0]
			key, after, ok := cut(rest[1:])
			if !ok || op != opPut && op != opDelete || len(key) == 0 || len(key) > MaxKey {
				break
			}
			var value []byte
			if rest = after; op == opPut {
				if value, rest, ok = cut(rest); !ok {
					rest = nil
				}
				guessed = appendPut(guessed, key, value)
			} else {
				guessed = appendDelete(guessed, key)
			}
		}
		data = data[frameHeader+length:]
	}
	return guessed
}

// findGeneration finds the generation of the newest sound manifest. Without one it is 0.
func (r *rescue) findGeneration() {
	r.generation = 0
	for _, name := range []string{manifestName, manifestCopy} {
		if m, err := readManifestFile(r.dir, name); err == nil && r.there(m.runs) {
			r.generation = m.generation
			return
		}
	}
}

// there reports whether all tables of these runs exist.
func (r *rescue) there(runs [][]tableInfo) bool {
	for _, run := range runs {
		for _, i := range run {
			if _, err := os.Lstat(filepath.Join(r.dir, tablesName, i.name())); err != nil {
				return false
			}
		}
	}
	return true
}
