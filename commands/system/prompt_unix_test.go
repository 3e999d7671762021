//go:build !windows

package system

import (
	"context"
	"errors"
	"testing"

	"github.com/creack/pty"

	"techo/tools"
	"techo/tools/person"
)

// TestAskClosed closes the terminal after Ask has checked that it is there.
func TestAskClosed(t *testing.T) {
	window, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	k := &keyboard{file: tty}
	_, err = k.Ask(context.Background(), tools.Prompt{
		Below: func(_, _ string, _, _ int) []string {
			window.Close()
			return nil
		},
	})
	if gone := new(person.NoTerminalError); !errors.As(err, &gone) || gone.Reason != "it is gone" {
		t.Errorf("%v, want that it is gone", err)
	}
}
