// Package replica keeps one notebook on several machines of its owner, through a folder that anything
// carries between them: a file syncer, a stick, a mounted share, a git work tree.
//
// Each machine writes only its own files there, and reads those of all others. A file is a segment: a
// part of what its machine has said, encrypted to the key of the notebook, which names the segment
// before it. What a machine says are versions of records and removals. A version has a stamp, by which
// the later one wins on every machine, and the number of its segment; a segment has what its machine had
// seen. So every machine knows which versions knew of each other: a change beats a removal that had not
// seen it, and a change that loses against one that had not seen it is kept as a conflict.
//
// Nothing is said but records: indexes, counts and histories derive from them. A received version goes
// through the functions that an undo uses, so limits of indexes and names hold, and the history has it.
//
// Two statements can exclude each other: two memos of one name, two memories of one text or topic, two
// events of one UID. Which of them is shown, and how, depends on the versions alone, so that all
// machines show the same.
package replica

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"

	"techo/store/ledger"
)

// Notebook is the notebook of a store.
type Notebook struct{ *ledger.Ledger }

var (
	// ErrNotJoined reports that a store is on one machine only.
	ErrNotJoined = errors.New("replica: the store is in no notebook of several machines")

	// ErrOther reports that a place has another notebook than it had.
	ErrOther = errors.New("replica: the place has another notebook now")

	// ErrJoined reports that a store is in such a notebook already.
	ErrJoined = errors.New("replica: the store is in a notebook of several machines already")

	// ErrTaken reports that a place has a notebook already.
	ErrTaken = errors.New("replica: the place has a notebook already")

	// ErrNoNotebook reports that a place has no notebook.
	ErrNoNotebook = errors.New("replica: the place has no notebook")

	// ErrWrongKey reports that a key is not the one of the notebook.
	ErrWrongKey = errors.New("replica: the key belongs to another notebook")
)

// PlaceError reports that a place cannot be reached.
type PlaceError struct {
	Place string
	Err   error
}

func (e *PlaceError) Error() string { return "place " + e.Place + ": " + e.Err.Error() }
func (e *PlaceError) Unwrap() error { return e.Err }

// CarrierError reports that a program that carries the place, such as git, failed.
type CarrierError struct {
	Program string
	Why     string // in its words; "" if it did not answer in time
}

func (e *CarrierError) Error() string { return e.Program + ": " + cmp.Or(e.Why, "no answer in time") }

// Machine is a machine of the notebook.
type Machine struct {
	Name   string
	LastAt time.Time // of its last segment that arrived here
	Own    bool
	Left   bool
	Ahead  time.Duration // how far its clock is ahead of this machine's, if that is known and more than a day
}

// Waiting is a file that was not applied.
type Waiting struct {
	File string // or the id of a record that cannot be shown here
	Why  error  // a BadSegmentError, or an error of adding the record
}

// Report is the outcome of a sync.
type Report struct {
	Place     string
	Sent      int // versions
	Received  int
	Conflicts int // new ones
	Waiting   []Waiting
	Machines  []Machine
}

// Init begins a notebook at a place and returns its key, which is shown this once, and the name of the
// machine.
func (n Notebook) Init(ctx context.Context, dir, name string) (key, machine string, err error) {
	dir, p, err := at(dir)
	if err != nil {
		return "", "", err
	}
	defer p.Close()
	if _, err := p.notebook(); err == nil {
		return "", "", ErrTaken
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", err
	}
	id := random(16)
	if err := n.begin(ctx, dir, id, name, identity); err != nil {
		return "", "", err
	}
	b, err := json.Marshal(notebook{format, id, proofOf(identity, id)})
	if err == nil {
		err = p.write("", notebookFile, append(b, '\n'))
	}
	if err != nil {
		return "", "", errors.Join(&PlaceError{dir, err}, n.forget(ctx))
	}
	return identity.String(), name, nil
}

// Join adds the store to the notebook of a place.
func (n Notebook) Join(ctx context.Context, dir, key, name string) error {
	dir, p, err := at(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	there, err := p.notebook()
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoNotebook
	} else if err != nil {
		return err
	}
	identity, err := age.ParseX25519Identity(strings.TrimSpace(key))
	if err != nil || proofOf(identity, there.Notebook) != there.Proof {
		return ErrWrongKey
	}
	return n.begin(ctx, dir, there.Notebook, name, identity)
}

// at opens a place, whose path it makes absolute.
func at(dir string) (string, *place, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	p, err := openPlace(dir)
	if err != nil {
		return "", nil, &PlaceError{dir, err}
	}
	return dir, p, nil
}

// random returns a name of lower-case letters and digits.
func random(letters int) string {
	b := make([]byte, letters)
	_, _ = rand.Read(b) // it cannot fail
	return strings.ToLower(base32.StdEncoding.EncodeToString(b))[:letters]
}

func (n Notebook) begin(ctx context.Context, dir, id, name string, identity *age.X25519Identity) error {
	return n.Maintain(ctx, func(tx *ledger.Tx) error {
		if _, joined, err := load[settings](tx, settingsKey.All()); err != nil || joined {
			return cmp.Or(err, ErrJoined)
		}
		return ledger.Save(tx, settingsKey.All(), settings{Place: dir, Notebook: id, Key: identity.String(),
			Machine: random(8), Name: name})
	})
}

// forget removes all that the store knows of the notebook.
func (n Notebook) forget(ctx context.Context) error {
	return n.Maintain(ctx, func(tx *ledger.Tx) error {
		for _, p := range Schema().Prefixes {
			if err := tx.DeletePrefix(p.All()); err != nil {
				return err
			}
		}
		return nil
	})
}

// settings loads the settings, or fails with ErrNotJoined.
func (n Notebook) settings(ctx context.Context) (set settings, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		set, err = settingsOf(tx)
		return err
	})
	return set, err
}

func settingsOf(tx *ledger.Tx) (settings, error) {
	set, joined, err := load[settings](tx, settingsKey.All())
	if err == nil && !joined {
		err = ErrNotJoined
	}
	return set, err
}

// Place returns the folder of the notebook, "" if there is none.
func (n Notebook) Place(ctx context.Context) (string, error) {
	set, err := n.settings(ctx)
	if errors.Is(err, ErrNotJoined) {
		return "", nil
	}
	return set.Place, err
}

// Tries are when the notebook was synced.
type Tries struct {
	Synced time.Time // the last time with success
	Tried  time.Time // the last time
	Failed error     // why the last time failed, such as a PlaceError or a CarrierError; nil if it did not
}

// LastTries returns when the notebook was last synced.
func (n Notebook) LastTries(ctx context.Context) (Tries, error) {
	set, err := n.settings(ctx)
	return Tries{moment(set.LastAt), moment(set.Tried), set.Failure.err(set.Place)}, err
}

// NoteFailure notes why a try failed, for [Notebook.LastTries]. It does so even if the time of ctx ran out.
func (n Notebook) NoteFailure(ctx context.Context, why error) error {
	return n.note(context.WithoutCancel(ctx), func(set *settings) {
		set.Failure, set.Tried = failureOf(why), n.Time().UnixMilli()
	})
}

// Begin notes a try, and reports whether it is the first one for some time: of many processes that ask at
// once one is told so.
func (n Notebook) Begin(ctx context.Context, every time.Duration) (first bool, err error) {
	recent := func(set settings) bool { return n.Time().Sub(moment(set.Tried)).Abs() < every }
	set, err := n.settings(ctx)
	if err != nil || recent(set) {
		return false, err
	}
	err = n.note(ctx, func(set *settings) {
		if first = !recent(*set); first {
			set.Tried = n.Time().UnixMilli()
		}
	})
	return first && err == nil, err
}

// note changes the settings.
func (n Notebook) note(ctx context.Context, change func(*settings)) error {
	return n.Maintain(ctx, func(tx *ledger.Tx) error {
		set, err := settingsOf(tx)
		if err != nil {
			return err
		}
		change(&set)
		return ledger.Save(tx, settingsKey.All(), set)
	})
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Leave says a last time what changed here, if the place is there, and forgets the notebook. The
// records stay, and so do the files of this machine, which others may not have read yet.
func (n Notebook) Leave(ctx context.Context) error {
	set, err := n.settings(ctx)
	if err != nil {
		return err
	}
	_, p, err := at(set.Place)
	if errors.Is(err, fs.ErrNotExist) { // a stick that is lost holds nobody
		return n.forget(ctx)
	}
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := n.say(ctx, true); err != nil {
		return err
	}
	if err := n.deliver(ctx, p); err != nil && !errors.Is(err, errUnsaid) {
		return err
	}
	return n.forget(ctx)
}
