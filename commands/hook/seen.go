package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"techo/internal/atomicfile"
	"techo/internal/sorting"
)

// seen has the notes that were added in a session, by id. It is a file of its own in the
// person's state folder: writing to the store for each message would make it wait for
// other writers. Losing the file only repeats a note. The name of the file is a hash, so
// no session can choose it.
type seen struct {
	root  *os.Root // nil if the session or the folder is not known
	name  string
	ids   []string
	dirty bool
}

// Limits of what is kept about sessions.
const (
	maxSeen     = 1000 // notes of a session; the oldest are forgotten
	maxSeenFile = 1 << 17
	maxSessions = 200
	maxAge      = 14 * 24 * time.Hour
)

// openSeen reads what was added in a session. A file that is missing or damaged counts as
// empty.
func openSeen(state, client, session string, now time.Time) *seen {
	s := &seen{}
	if state == "" || session == "" {
		return s
	}
	folder := filepath.Join(state, "techo", "sessions")
	if os.MkdirAll(folder, 0o700) != nil {
		return s
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return s
	}
	hash := sha256.Sum256([]byte(client + "\x00" + session))
	s.root, s.name = root, hex.EncodeToString(hash[:16])+".json"
	st, err := root.Lstat(s.name)
	switch {
	case os.IsNotExist(err):
		s.prune(now)
	case err == nil && st.Mode().IsRegular() && st.Size() <= maxSeenFile:
		if text, err := root.ReadFile(s.name); err == nil && json.Unmarshal(text, &s.ids) != nil {
			s.ids = nil
		}
	}
	return s
}

// prune removes the files of old sessions, and of the oldest if there are many.
func (s *seen) prune(now time.Time) {
	folder, err := s.root.Open(".")
	if err != nil {
		return
	}
	defer folder.Close()
	entries, err := folder.ReadDir(-1)
	if err != nil {
		return
	}
	type file struct {
		name string
		at   time.Time
	}
	var files []file
	for _, e := range entries {
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() {
			files = append(files, file{e.Name(), st.ModTime()})
		}
	}
	sorting.By(files, func(a, b file) int { return b.at.Compare(a.at) })
	for i, f := range files {
		if i >= maxSessions-1 || now.Sub(f.at) > maxAge {
			_ = s.root.Remove(f.name)
		}
	}
}

func (s *seen) has(id string) bool { return slices.Contains(s.ids, id) }

func (s *seen) add(ids ...string) {
	for _, id := range ids {
		if !s.has(id) {
			s.ids, s.dirty = append(s.ids, id), true
		}
	}
	s.ids = s.ids[max(0, len(s.ids)-maxSeen):]
}

// forget is for a session that has lost what was added.
func (s *seen) forget() { s.ids, s.dirty = nil, s.dirty || len(s.ids) > 0 }

// forgetAbsent is for a session that still has a text.
func (s *seen) forgetAbsent(text string) {
	s.ids = slices.DeleteFunc(s.ids, func(key string) bool {
		id, _, _ := strings.Cut(key, "@")
		return !strings.Contains(text, id)
	})
	s.dirty = true
}

// close closes the folder. With save it writes the file first, if something changed.
func (s *seen) close(save bool) error {
	if s.root == nil {
		return nil
	}
	defer s.root.Close()
	if !save || !s.dirty {
		return nil
	}
	text, err := json.Marshal(s.ids)
	if err != nil {
		return err
	}
	return atomicfile.Write(s.root, s.name, text, atomicfile.Options{NoSync: true})
}
