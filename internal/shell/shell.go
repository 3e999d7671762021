// Package shell runs lines of the person's settings in the shell of the system.
package shell

import (
	"context"
	"os/exec"
	"runtime"
	"time"
)

// patience is the time that a line of Output has.
const patience = 30 * time.Second

// Command returns the command that runs a line.
func Command(ctx context.Context, line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/C", line)
	}
	return exec.CommandContext(ctx, "sh", "-c", line)
}

// Output returns what a line prints within 30 seconds, such as a key from a manager of secrets.
func Output(ctx context.Context, line string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	return Command(ctx, line).Output()
}
