package lock

import (
	"os"
	"os/exec"
	"testing"
)

// TestCommandOf describes this process, and one that has ended but was not waited for.
func TestCommandOf(t *testing.T) {
	if name := commandOf(os.Getpid()); name == "" || name == "." {
		t.Errorf("%q", name)
	}
	c := exec.Command("true")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Wait() }()
	for { // until the process has ended, which closes its output
		if _, err := out.Read(make([]byte, 1)); err != nil {
			break
		}
	}
	for commandOf(c.Process.Pid) == "true" { // its memory goes a little later
	}
	if name := commandOf(c.Process.Pid); name != "" {
		t.Errorf("%q", name)
	}
}
