//go:build !linux

package commands

const loginName = "login"

func logIn(string, []string) int { return 1 }
