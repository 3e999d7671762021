package machines

import (
	"context"
	"time"

	"techo/commands/run"
	"techo/store/replica"
)

const (
	// autoEvery is the least time between two syncs that nobody asked for.
	autoEvery = time.Minute

	// autoTime limits such a sync of a command, whose caller waits for its end.
	autoTime = 10 * time.Second
)

// After syncs the notebook after the answer of a command that has written, or that begins the session
// of an agent, if the setting sync is auto. A failure is shown by sync status.
func After(ctx context.Context, s *run.Run) {
	path := s.Given.Path
	begins := len(path) == 2 && path[0] == "hook" && path[1] == "session-start"
	if !s.Options.Sync || ctx.Err() != nil || len(path) > 0 && path[0] == "sync" || s.Resources.Writer() == nil && !begins {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, autoTime)
	defer cancel()
	auto(ctx, s)
}

// Keep syncs the notebook of a server while it runs, if the setting sync is auto.
func Keep(ctx context.Context, s *run.Run) {
	if !s.Options.Sync {
		return
	}
	for tick := time.NewTicker(autoEvery); ; {
		auto(ctx, s)
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}

// auto syncs unless there is no notebook, or the last sync is a moment ago.
func auto(ctx context.Context, s *run.Run) {
	reader, err := s.Open(ctx, false)
	if err != nil {
		return
	}
	last, err := replica.Notebook{Ledger: reader.Ledger}.LastTries(ctx)
	if err != nil || s.Options.Clock().Sub(last.Tried).Abs() < autoEvery {
		return
	}
	st, err := s.Open(ctx, true)
	if err != nil {
		return
	}
	_, _ = Sync(ctx, replica.Notebook{Ledger: st.Ledger}, nil) // sync status shows why it failed
}
