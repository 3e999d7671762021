package commands

import (
	"fmt"
	"time"
)

const (
	progressAfter = 500 * time.Millisecond // short work says nothing
	progressEvery = 100 * time.Millisecond
)

// meter shows on a terminal how far long work has come, on one line, which is
// gone before the answer comes.
type meter struct {
	write   func(string)
	now     func() time.Time
	what    string
	started time.Time
	shown   time.Time // when it was last shown; zero when nothing is on the line
}

// progress returns what a tool reports its progress to, nil when nobody watches.
func (s *session) progress() func(done, total int64) {
	if !s.StderrTerminal {
		return nil
	}
	if s.meter == nil {
		s.meter = &meter{
			write: func(text string) { fmt.Fprint(s.Stderr, text) },
			now:   time.Now, // the machine's clock: TECHO_NOW stands still
			what:  s.name(), started: time.Now(),
		}
	}
	return s.meter.step
}

func (m *meter) step(done, total int64) {
	now := m.now()
	if now.Sub(m.started) < progressAfter || now.Sub(m.shown) < progressEvery {
		return
	}
	m.shown = now
	if total > 0 {
		m.write(fmt.Sprintf("\r\x1b[K%s: %d %%", m.what, 100*min(done, total)/total))
	} else {
		m.write(fmt.Sprintf("\r\x1b[K%s: %d", m.what, done))
	}
}

// clear takes the line away.
func (m *meter) clear() {
	if m != nil && !m.shown.IsZero() {
		m.write("\r\x1b[K")
		m.shown = time.Time{}
	}
}
