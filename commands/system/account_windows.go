package system

import "os/user"

// account returns the folder of the profile of the process's token.
func account() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.HomeDir
}
