//go:build !windows

package system

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"

	"techo/internal/lineage"
)

// account returns the home folder of the effective user by the database of users. It is not
// user.Current, which may return HOME. In a user namespace of an agent the database and the folder
// may be the agent's.
func account() string {
	if !lineage.SystemUsers() {
		return ""
	}
	id, home := strconv.Itoa(os.Geteuid()), ""
	if u, err := user.LookupId(id); err == nil {
		home = u.HomeDir
	} else { // a directory service, which a static program asks by a program of the system
		c := exec.Command("/usr/bin/getent", "passwd", id)
		c.Env = []string{} // no library of the caller
		out, _ := c.Output()
		if fields := bytes.Split(bytes.TrimSpace(out), []byte(":")); len(fields) == 7 {
			home = string(fields[5])
		}
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return home
}
