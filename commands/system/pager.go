package system

import (
	"cmp"
	"os"
	"os/exec"
	"strings"
)

// pagerOf returns the person's pager and its arguments: of TECHO_PAGER or PAGER, else less.
// cat stands for none.
func pagerOf(getenv func(string) string) []string {
	return strings.Fields(cmp.Or(getenv("TECHO_PAGER"), getenv("PAGER"), "less"))
}

// page shows a text with a pager, and waits until the person leaves it. It reports false if
// the pager cannot be started.
func page(pager []string, text string) bool {
	if len(pager) == 0 || pager[0] == "cat" {
		return false
	}
	c := exec.Command(pager[0], pager[1:]...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), os.Stdout, os.Stderr
	c.Env = os.Environ()
	if os.Getenv("LESS") == "" {
		c.Env = append(c.Env, "LESS=FRX") // leave at once if all fits, show colours, keep the screen
	}
	if c.Start() != nil {
		return false
	}
	_ = c.Wait() // its exit code says nothing about the text
	return true
}
