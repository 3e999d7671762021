package ledger

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/legible"
	"techo/store/kv"
)

// Root returns the store that a shared space is in.
func (s *Ledger) Root() *Ledger {
	if s.parent != nil {
		return s.parent
	}
	return s
}

// Maintained returns the space with a number as a store for checks and repairs, which
// need no role.
func (s *Ledger) Maintained(number uint64) *Ledger {
	return s.Within("", func(*Tx, Role) (Place, error) {
		return Place{Number: number, Role: AdminRole}, nil
	})
}

func (s *Ledger) Within(name string, enter func(*Tx, Role) (Place, error)) *Ledger {
	base := s.Root()
	return &Ledger{Schemas: base.Schemas, Engine: base.Engine, Where: base.Where, Shown: base.Shown, Now: base.Now,
		History: base.History,
		Observe: base.Observe, parent: base, Space: name, enter: enter}
}

// SpacesWithKeys returns the numbers of the shared spaces that have any keys.
func (s *Ledger) SpacesWithKeys(ctx context.Context) (numbers []uint64, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		numbers = nil
		for from := SharedRecords.All(); ; {
			number, found, err := tx.nextSpace(from)
			if err != nil || !found {
				return err
			}
			numbers = append(numbers, number)
			from = SharedPrefix(number + 1)
		}
	})
	return numbers, err
}

// nextSpace returns the number of the first shared space with a key at or after from.
func (tx *Tx) nextSpace(from []byte) (number uint64, found bool, err error) {
	r := kv.Range{Prefix: SharedRecords.All(), From: from, Limit: 1, KeysOnly: true}
	for item, err := range tx.Scan(r) {
		if err != nil {
			return 0, false, err
		}
		number, _, ok := CutShared(item.Key)
		if !ok {
			return 0, false, Finding(UnknownKey, KindSpace, string(item.Key), nil)
		}
		return number, true, nil
	}
	return 0, false, nil
}

// Role is what a member of a shared space may do. Each role includes those before it.
type Role int

// The roles.
const (
	NoRole    Role = iota
	ReadRole       // search, list and read
	WriteRole      // add, change and remove records, and undo own changes
	AdminRole      // undo changes of others, and choose the members
)

var roleNames = []string{"", "read", "write", "admin"}

func (r Role) String() string { return roleNames[r] }

// RoleNamed returns the role with a name, NoRole for others.
func RoleNamed(name string) Role { return Role(max(slices.Index(roleNames, name), 0)) }

// Limits of memories.
const (
	MaxText     = 4 << 20 // bytes of a full text
	MaxLabel    = 200     // characters of a session or a topic, after NFC
	MaxUserName = 256     // bytes
)

// UserNameError reports a name that no user may have.
type UserNameError struct{ MaxBytes int }

func (e *UserNameError) Error() string {
	return fmt.Sprintf("user: no name of at most %d bytes of UTF-8 without control characters", e.MaxBytes)
}

// UserName reports whether a user may have this name.
func UserName(name string) bool {
	shown := name == "" || !legible.Blank(name) && !legible.Control(name)
	return shown && utf8.ValidString(name) && len(norm.NFC.String(name)) <= MaxUserName
}

// NormalUser returns the form of a user's name in which equal names have equal bytes.
func NormalUser(name string) string { return norm.NFC.String(name) }

// SameUser reports whether two names denote one user.
func SameUser(a, b string) bool { return norm.NFC.String(a) == norm.NFC.String(b) }

// UpdateBoth runs fn in one transaction of two spaces, and links their changes.
func UpdateBoth(ctx context.Context, from, to *Ledger, fn func(here, there *Tx) error) error {
	if from.Space == to.Space || from.Root() != to.Root() || Joined(ctx) {
		return ErrOtherSpace
	}
	for _, s := range []*Ledger{from, to} { // it could not be done in the transaction
		if err := s.refreshIndexes(ctx); err != nil {
			return err
		}
	}
	return from.Root().Maintain(ctx, func(tx *Tx) error {
		here, err := from.changing(ctx, tx)
		if err != nil {
			return err
		}
		there, err := to.changing(ctx, tx)
		if err != nil {
			return err
		}
		if err := fn(here, there); err != nil {
			return err
		}
		if err := link(from, to, here.Changes, there.Changes); err != nil {
			return err
		}
		if err := here.Changes.finish(); err != nil {
			return err
		}
		return there.Changes.finish()
	})
}

// changing returns the transaction of a space, or of the store, within a transaction of
// the store. It records its changes.
func (s *Ledger) changing(ctx context.Context, tx *Tx) (*Tx, error) {
	tx, err := s.entered(tx, WriteRole)
	if err != nil {
		return nil, err
	}
	return s.recording(ctx, tx), nil
}

// link makes the changes of two spaces name each other.
func link(from, to *Ledger, here, there *Recorder) error {
	one, err := here.Number()
	if err != nil {
		return err
	}
	other, err := there.Number()
	if err != nil || one == 0 || other == 0 { // one of them records no changes
		return err
	}
	here.Change.Moved, there.Change.Moved = ChangeLink{to.Space, other}, ChangeLink{from.Space, one}
	return nil
}
