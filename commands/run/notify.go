package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"techo/commands/system"
	"techo/internal/shell"
)

// notifier returns a function that runs TECHO_ASK_NOTIFY, a shell command that
// notifies the person of a question. The command reads the question on stdin and
// its id in TECHO_QUESTION_ID. Without the variable, notifier returns nil.
func notifier(sys system.System) func(ctx context.Context, id, question string) error {
	line := sys.Getenv("TECHO_ASK_NOTIFY")
	if line == "" {
		return nil
	}
	return func(ctx context.Context, id, question string) error {
		cmd := shell.Command(ctx, line)
		cmd.Dir, cmd.Env = sys.Dir, append(os.Environ(), "TECHO_QUESTION_ID="+id)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(system.Visible(question)+"\n"), io.Discard, io.Discard
		cmd.WaitDelay = time.Second // its child processes may keep the streams open
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("TECHO_ASK_NOTIFY: %w", err)
		}
		return nil
	}
}
