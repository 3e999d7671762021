package export

import (
	"context"
	"time"

	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
)

// Entry is a document on its way to a folder on another machine.
type Entry struct {
	Document
	Old bool // created before Selection.Since: only a folder that has it keeps it
}

// From describes the records of a folder.
type From struct {
	Store    string // id of the store; "" is unknown for a calendar of an older server
	User     string // of memories
	Calendar string // id of the calendar of events
}

// MemoryEntry returns the entry of a memory. when formats a time.
func MemoryEntry(m memory.Memory, since time.Time, when func(time.Time) string) (Entry, error) {
	d, err := memoryDocument(m, when)
	return Entry{d, m.CreatedAt.Before(since)}, err
}

// MemoEntry returns the entry of a memo. when formats a time.
func MemoEntry(m memo.Memo, when func(time.Time) string) Entry {
	return Entry{Document: memoDocument(m, when)}
}

// MemoriesFrom is Memories for the memories of one user in another place. each calls use
// with all memories in their order.
func MemoriesFrom(ctx context.Context, dir string, from From, each func(use func(Entry) error) error) (Mirrored,
	error) {
	of := source{"memories", from.Store, ledger.NormalUser(from.User)}
	return update(ctx, dir, memoryTitle, of, func(m *mirror) error { return m.addAll(each) })
}

// MemosFrom is MemoriesFrom for memos.
func MemosFrom(ctx context.Context, dir string, from From, each func(use func(Entry) error) error) (Mirrored,
	error) {
	of := source{"memos", from.Store, ""}
	return update(ctx, dir, memoTitle, of, func(m *mirror) error { return m.addAll(each) })
}

// addAll adds the entries that belong into the folder.
func (m *mirror) addAll(each func(use func(Entry) error) error) error {
	return each(func(e Entry) error {
		if e.Old && !m.has(e.Document) {
			return nil
		}
		return m.add(e.Document)
	})
}
