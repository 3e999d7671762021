package remote

import (
	"net/url"
	"path/filepath"
	"strings"

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
	Tokens  map[string]string `json:"tokens"`  // by address (Normal)
	Users   map[string]string `json:"users"`   // whose tokens they are, by address
}

// LoginsPath returns the path of the file with the logins of a state folder.
func LoginsPath(state string) string { return filepath.Join(state, "techo", loginsFile) }

// Normal returns the address of a server in the form of Logins, so that the spellings of one
// address have one token. path makes the path of a socket absolute.
func Normal(address string, path func(string) string) string {
	if socket, ok := socketPath(address); ok {
		return "unix:" + path(socket)
	}
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Host = strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		u.Host = strings.TrimSuffix(u.Host, ":80")
	case "https":
		u.Host = strings.TrimSuffix(u.Host, ":443")
	}
	return strings.TrimRight(u.String(), "/")
}

// socketPath returns the path in the address of a unix socket. ok is false for others.
func socketPath(address string) (path string, ok bool) {
	path, ok = strings.CutPrefix(address, "unix:")
	return strings.TrimPrefix(path, "//"), ok
}

// ReadLogins reads the logins of a state folder. A missing file is no login.
func ReadLogins(state string) (Logins, error) {
	l := Logins{dir: filepath.Join(state, "techo"), Tokens: map[string]string{}, Users: map[string]string{}}
	if state == "" {
		return l, nil
	}
	err := private.ReadSecretJSON(LoginsPath(state), maxLogins, &l)
	return l, err
}

// Write replaces the file.
func (l Logins) Write() error { return export.Secret(filepath.Join(l.dir, loginsFile), l) }
