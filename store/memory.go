package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/search"
)

// Limits of memories.
const (
	MaxMemoryText = 4 << 20 // bytes of a full text
	MaxCaption    = 80      // characters of a caption that is derived from the text
	maxUserName   = 256     // bytes

	// maxNeighbours is the largest number of memories in a session at which neighbours
	// in time count as related.
	maxNeighbours = 4096
)

// Memory is a fact that a user's agent learned: its full text, and a caption that
// represents it in a prompt. Only its user sees it.
type Memory struct {
	ID        string
	User      string
	Caption   string
	FullText  string // unique among the memories of the user
	Session   string // in which it was learned; may be ""
	CreatedAt time.Time
	UpdatedAt time.Time
}

// MemoryChange lists the fields of a memory to change; nil leaves a field
// unchanged.
type MemoryChange struct {
	Caption  *string
	FullText *string
	Session  *string
}

// Added is the result of adding one memory.
type Added struct {
	Memory
	Created bool  // false: a memory with the text already existed
	Err     error // of a refused memory
}

// SameTextError reports that another memory of the user has the text.
type SameTextError struct{ ID string }

func (e *SameTextError) Error() string { return "memory " + e.ID + ": has the same text" }

// TakenIDError reports that another memory of the user has the id.
type TakenIDError struct{ ID string }

func (e *TakenIDError) Error() string { return "memory " + e.ID + ": has another text" }

// UserNameError reports a name that no user may have.
type UserNameError struct{ MaxBytes int }

func (e *UserNameError) Error() string {
	return fmt.Sprintf("user: no name of at most %d bytes of UTF-8 without control characters", e.MaxBytes)
}

// EditMemory changes a memory and returns the changed memory. It fails with a
// SameTextError if another memory has the text.
func (s *Store) EditMemory(ctx context.Context, user, id string, c MemoryChange) (Memory, error) {
	var m Memory
	err := s.update(ctx, func(tx kv.Tx) error {
		u, r, err := findMemory(tx, user, id)
		if err != nil {
			return err
		}
		m = r.memory()
		if now := s.time(); now.After(m.UpdatedAt) {
			m.UpdatedAt = now
		}
		if c.Caption != nil {
			m.Caption = *c.Caption
		}
		if c.FullText != nil {
			m.FullText = *c.FullText
		}
		if c.Session != nil {
			m.Session = norm.NFC.String(*c.Session)
		}
		d := NewDrafter().Draft(m)
		other, err := memoryWithText(tx, u.Number, d.FullText, d.digest)
		if err != nil {
			return err
		}
		if other != "" && other != id {
			return &SameTextError{other}
		}
		if err := dropMemory(tx, &u, r); err != nil {
			return err
		}
		if err := save(tx, memoryUserKey(u.Name), u); err != nil {
			return err
		}
		all, err := s.addDrafts(tx, u.Name, []Draft{d})
		if err != nil {
			return err
		}
		m = all[0].Memory
		return all[0].Err
	})
	return m, err
}

// RemoveMemories removes memories, and returns the ids that it removed and those
// that do not exist.
func (s *Store) RemoveMemories(ctx context.Context, user string, ids []string) (removed, missing []string, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		removed, missing = nil, nil
		u, err := loadMemoryUser(tx, norm.NFC.String(user), false)
		if err != nil {
			return err
		}
		for _, id := range ids {
			r, err := loadMemory(tx, u.Number, id)
			switch {
			case errors.Is(err, kv.ErrNotFound):
				if !slices.Contains(removed, id) && !slices.Contains(missing, id) {
					missing = append(missing, id)
				}
				continue
			case err != nil:
				return err
			}
			if err := dropMemory(tx, &u, r); err != nil {
				return err
			}
			removed = append(removed, id)
		}
		if len(removed) == 0 {
			return nil
		}
		return save(tx, memoryUserKey(u.Name), u)
	})
	return removed, missing, err
}

// dropMemory removes a memory from the records and the indexes. The caller saves
// the user's record.
func dropMemory(tx kv.Tx, u *memoryUser, r memoryRecord) error {
	m := r.memory()
	d := NewDrafter().Draft(m)
	if err := u.index().Remove(tx, search.Doc{Num: r.Text, ID: m.ID, Group: r.Group, Bag: d.bag}); err != nil {
		return err
	}
	at := moment{r.Created, r.Text, m.ID}
	if err := (timeline{u.Number, 0}).remove(tx, at); err != nil {
		return err
	}
	if r.Group != 0 {
		if err := (timeline{u.Number, r.Group}).remove(tx, at); err != nil {
			return err
		}
		if err := leaveSession(tx, u.Number, m.Session); err != nil {
			return err
		}
	}
	if m.ID != idOfText(d.digest) {
		if err := tx.Delete(memoryTextKey(u.Number, d.digest)); err != nil {
			return err
		}
	}
	u.Memories--
	return tx.Delete(memoryKey(u.Number, m.ID))
}

// leaveSession decrements the count of a session, and removes a session without
// memories.
func leaveSession(tx kv.Tx, user uint32, name string) error {
	var s memorySession
	key := memorySessionKey(user, name)
	if err := load(tx, key, &s); err != nil {
		if errors.Is(err, kv.ErrNotFound) {
			err = finding(NoRecord, KindSession, name, nil)
		}
		return err
	}
	if s.Memories--; s.Memories <= 0 {
		return tx.Delete(key)
	}
	return save(tx, key, s)
}
