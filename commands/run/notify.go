package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"techo/commands/system"
	"time"
)

// notifier makes what tells the person of a question, nil when they chose
// nothing: TECHO_ASK_NOTIFY is a line for the shell, which gets the question on
// stdin and its id in TECHO_QUESTION_ID.
func (s *Run) notifier() func(ctx context.Context, id, question string) error {
	line := s.Getenv("TECHO_ASK_NOTIFY")
	if line == "" {
		return nil
	}
	return func(ctx context.Context, id, question string) error {
		name, flag := "sh", "-c"
		if runtime.GOOS == "windows" {
			name, flag = "cmd", "/C"
		}
		cmd := exec.CommandContext(ctx, name, flag, line)
		cmd.Dir, cmd.Env = s.Dir, append(os.Environ(), "TECHO_QUESTION_ID="+id)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(system.Visible(question)+"\n"), io.Discard, io.Discard
		cmd.WaitDelay = time.Second // for what it leaves behind
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("TECHO_ASK_NOTIFY: %w", err)
		}
		return nil
	}
}
