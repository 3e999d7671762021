//go:build !linux && !windows

package system

import "os"

// accountIDs returns the number of the effective user: these systems have one set of users.
func accountIDs() (ids []int, foreign bool, err error) { return []int{os.Geteuid()}, false, nil }

func ownedBy(string, int) bool { return true }
