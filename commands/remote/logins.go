package remote

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"techo/export"
	"techo/internal/private"
)

// loginsFile is the name of the file with the tokens of servers, in the folder of
// techo's state.
const loginsFile = "logins.json"

// maxLogins bounds the file, in bytes.
const maxLogins = 1 << 20

// Logins are the servers that the person logged in to.
type Logins struct {
	dir string

	Current string            `json:"current"` // the address that calls are sent to, or ""
	Tokens  map[string]string `json:"tokens"`  // by address
}

// ReadLogins reads the logins of a state folder. A missing file is no login.
func ReadLogins(state string) (l Logins, err error) {
	l = Logins{dir: filepath.Join(state, "techo"), Tokens: map[string]string{}}
	if state == "" {
		return l, nil
	}
	if _, err := os.Lstat(filepath.Join(l.dir, loginsFile)); errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	folder, err := private.OpenFolderItself(l.dir)
	if err != nil {
		return l, err
	}
	defer folder.Close()
	b, err := folder.ReadSecret(loginsFile, maxLogins)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(b, &l)
}

// Write replaces the file.
func (l Logins) Write() error { return export.Secret(filepath.Join(l.dir, loginsFile), l) }
