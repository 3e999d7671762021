package system

import "os/user"

// account returns the folder of the profile of the process's token.
func account() (home string, err error) {
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}
