package rescue

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// step is a transaction of the journal: its payload, or the known keys of a
// damaged one.
type step struct {
	payload []byte
	keys    []byte // from the key file
	guessed []byte // operations with keys that were read without a checksum
}

// take copies a transaction to the new store.
func (r *Reading) take(s step) (err error) {
	journal.Operations(s.payload, func(op byte, key, value []byte) {
		if err == nil {
			err = r.put(op, key, value)
		}
	})
	journal.Claims(s.keys, func(key []byte, c journal.Claim) {
		if err == nil {
			err = r.missed(key, doubt{c, true})
		}
	})
	journal.Operations(s.guessed, func(op byte, key, value []byte) {
		if err == nil {
			c := journal.Claim{Sum: disk.Checksum(key, value), Deleted: op == journal.OpDelete}
			err = r.missed(key, doubt{c, false})
		}
	})
	return err
}

// journal returns the generation and the journal's transactions in order.
func (r *Reading) journal() (steps []step, err error) {
	path := filepath.Join(r.dir, disk.JournalName)
	data, err := r.read(path, disk.JournalName)
	var corrupt *kv.CorruptError
	if errors.Is(err, os.ErrNotExist) || errors.As(err, &corrupt) {
		r.Findings = append(r.Findings, Finding{path, reasonOrMissing(err)})
		r.findGeneration()
		return r.withoutJournal(path), nil
	}
	if err != nil {
		return nil, err
	}
	short := len(data) < journal.FramesAt
	if short {
		r.found(path, kv.CutOff, len(data))
		data = append(data, make([]byte, journal.FramesAt-len(data))...)
	}
	j := &journal.Log{Path: path}
	r.generation, err = j.ReadHeader(data)
	if errors.As(err, new(*kv.VersionError)) {
		return nil, err
	}
	all := journal.FramesIn(data, journal.FramesAt)
	of := r.generation // the generation of the frames to use
	if err != nil {
		if !short {
			r.Findings = append(r.Findings, Finding{path, kv.ReasonOf(err)})
		}
		// The generation is unknown. The newest frames are the newest records with
		// any tables: after a compaction that did not finish, its tables have the
		// same records.
		r.findGeneration()
		of = 0
		for _, f := range all {
			of = max(of, f.Generation)
		}
		if of == 0 {
			return r.withoutJournal(path), nil
		}
		r.generation = max(r.generation, of)
	}
	j.Generation = of
	return r.inOrder(j, all, data), nil
}

// withoutJournal returns the entries of the key file for the transactions of an
// unreadable journal. r.generation is the generation of the tables.
func (r *Reading) withoutJournal(path string) (steps []step) {
	of, keys := r.readJournalKeys(0)
	// The tables of a merge that did not finish hold what the journal had then.
	if len(keys) == 0 || of+1 < r.generation {
		r.Unnamed++
		r.found(path, kv.LostSinceMerge)
		return nil
	}
	last := uint64(0)
	for n := range keys {
		last = max(last, n+1)
	}
	if of >= r.generation { // otherwise the tables have them
		r.found(path, kv.LostTransactions, last)
	}
	return r.missing(path, keys, 0, last, nil)
}

// inOrder returns the transactions of a generation, including the missing ones.
func (r *Reading) inOrder(j *journal.Log, all []journal.FoundFrame, data []byte) (steps []step) {
	_, keys := r.readJournalKeys(j.Generation)
	for _, f := range all {
		if k := keys[f.Number]; k != nil && f.Generation == j.Generation && !bytes.Equal(k, claimsOf(f.Payload)) {
			keys = nil // the key file belongs to another journal
		}
	}
	next, from := uint64(0), journal.FramesAt
	for _, f := range all {
		if f.Generation != j.Generation || f.Number < next {
			continue
		}
		if f.Number > next {
			r.found(j.Path, kv.DamagedBefore, f.Number-next, f.Number+1)
			steps = append(steps, r.missing(j.Path, keys, next, f.Number, data[from:f.At])...)
		}
		steps = append(steps, step{payload: f.Payload})
		next, from = f.Number+1, f.End()
	}
	last, _ := j.ReadWatermark(data)
	for n := range keys {
		last = max(last, n+1)
	}
	if last > next {
		r.found(j.Path, kv.DamagedLast, last-next)
		steps = append(steps, r.missing(j.Path, keys, next, last, data[from:])...)
	}
	return steps
}

// missing returns the known keys of the damaged transactions with numbers in
// [from, to). data holds the bytes in their place.
func (r *Reading) missing(path string, keys map[uint64][]byte, from, to uint64, data []byte) (steps []step) {
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
	r.found(path, kv.UnnamedTransactions, unknown, from+1, to)
	return append(steps, step{guessed: guessedKeys(data)})
}

// claimsOf returns the key file's payload for a transaction.
func claimsOf(payload []byte) (keys []byte) {
	journal.Operations(payload, func(op byte, key, value []byte) { keys = journal.AppendKey(keys, op, key, value) })
	return keys
}

// guessedKeys parses damaged frames as far as they look like operations.
func guessedKeys(data []byte) (guessed []byte) {
	for len(data) > journal.FrameHeader {
		length := min(int(binary.BigEndian.Uint32(data)), len(data)-journal.FrameHeader)
		for rest := data[journal.FrameHeader:][:length]; len(rest) > 0; {
			op := rest[0]
			key, after, ok := journal.Cut(rest[1:])
			if !ok || op != journal.OpPut && op != journal.OpDelete || len(key) == 0 || len(key) > kv.MaxKey {
				break
			}
			var value []byte
			if rest = after; op == journal.OpPut {
				if value, rest, ok = journal.Cut(rest); !ok {
					rest = nil
				}
				guessed = journal.AppendPut(guessed, key, value)
			} else {
				guessed = journal.AppendDelete(guessed, key)
			}
		}
		data = data[journal.FrameHeader+length:]
	}
	return guessed
}

// findGeneration finds the generation of the newest sound manifest. Without one it is 0.
func (r *Reading) findGeneration() {
	r.generation = 0
	for _, name := range []string{disk.ManifestName, disk.ManifestCopy} {
		if m, err := sst.ReadManifestFile(r.dir, name); err == nil && r.there(m.Runs) {
			r.generation = m.Generation
			return
		}
	}
}

// there reports whether all tables of these runs exist.
func (r *Reading) there(runs [][]sst.Info) bool {
	for _, run := range runs {
		for _, i := range run {
			if _, err := os.Lstat(filepath.Join(r.dir, disk.TablesName, i.Name())); err != nil {
				return false
			}
		}
	}
	return true
}
