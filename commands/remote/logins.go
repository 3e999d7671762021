package remote

import (
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
	Users   map[string]string `json:"users"`   // whose tokens they are, by address
}

// ReadLogins reads the logins of a state folder. A missing file is no login.
func ReadLogins(state string) (Logins, error) {
	l := Logins{dir: filepath.Join(state, "techo"), Tokens: map[string]string{}, Users: map[string]string{}}
	if state == "" {
		return l, nil
	}
	err := private.ReadSecretJSON(filepath.Join(l.dir, loginsFile), maxLogins, &l)
	return l, err
}

// Write replaces the file.
func (l Logins) Write() error { return export.Secret(filepath.Join(l.dir, loginsFile), l) }
