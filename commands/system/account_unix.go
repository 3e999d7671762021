//go:build !windows

package system

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
)

// account returns the home folder of the effective user by the database of users, "" if that has
// none. It is not user.Current, which may return HOME: callers choose that. An error means that
// nothing shows which folder it is, as in a user namespace whose maker hides it.
func account() (home string, err error) {
	ids, foreign, err := accountIDs()
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		if home, err = homeOf(id); err == nil && (!foreign || ownedBy(home, os.Geteuid())) {
			return home, nil
		}
	}
	if foreign {
		return "", errors.New("the user namespace has no home folder of this account")
	}
	return "", err
}

// homeOf returns the home folder of a user, "" if the database of users has none.
func homeOf(id int) (string, error) {
	u, err := user.LookupId(strconv.Itoa(id))
	if err == nil {
		return absolute(u.HomeDir), nil
	}
	missing := errors.As(err, new(user.UnknownUserIdError))
	// A directory service, which a static program asks by a program of the system.
	const getent = "/usr/bin/getent"
	if _, e := os.Stat(getent); errors.Is(e, os.ErrNotExist) && missing {
		return "", nil
	}
	c := exec.Command(getent, "passwd", strconv.Itoa(id))
	c.Env = []string{} // no library of the caller
	out, e := c.Output()
	if fields := bytes.Split(bytes.TrimSpace(out), []byte(":")); e == nil && len(fields) == 7 {
		return absolute(string(fields[5])), nil
	}
	const notFound = 2
	if code := new(exec.ExitError); errors.As(e, &code) && code.ExitCode() == notFound && missing {
		return "", nil
	}
	return "", errors.Join(err, e)
}

func absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return ""
}
