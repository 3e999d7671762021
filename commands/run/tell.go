package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"techo/commands/system"
	"techo/store"
)

// offerText tells a person who sees JSON on a terminal how to see text, once for each store.
// An agent never gets the line: it may read a terminal of its own.
func offerText(s *Run) {
	w := s.System
	if s.Options.text || s.StdinTaken || !w.StdoutTerminal {
		return
	}
	if form, _ := (&parser{sys: w, flags: s.Given.Settings, files: s.Given.Files}).get("output"); form != "" {
		return // the form was chosen
	}
	path, err := s.StorePath()
	state := w.State()
	if err != nil || state == "" || !w.AtPerson() {
		return
	}
	digest := sha256.Sum256([]byte(path))
	mark := filepath.Join(state, system.Name, "offered-text", hex.EncodeToString(digest[:8]))
	if os.MkdirAll(filepath.Dir(mark), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return // it was told
	}
	_ = f.Close()
	fmt.Fprintln(w.Stderr, s.Env().Localize("This is JSON, for programs. For text: -o text; on every terminal: %s",
		"techo config set output auto"))
}

// tellNewStore tells a person that the store which the line names is not there yet: its name may be
// misspelt. Programs and agents, for whom a new store is no surprise, get no such line.
func tellNewStore(s *Run, path string, write bool) {
	if _, named := s.Given.Settings["store"]; !named || store.InDatabase(path) || !s.System.AtPerson() {
		return
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	env := s.Env()
	text := env.Localize("There is no store at %s", path)
	if write {
		text = env.Localize("There was no store at %s; this makes one", path)
	}
	fmt.Fprintln(s.System.Stderr, text)
}
