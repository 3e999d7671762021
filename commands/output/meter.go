package output

import (
	"fmt"
	"time"
)

const (
	progressAfter = 500 * time.Millisecond // short work shows no progress
	progressEvery = 100 * time.Millisecond
)

// meter shows progress on one line of a terminal. The line is cleared before the
// answer is printed.
type meter struct {
	write   func(string)
	now     func() time.Time
	command string
	started time.Time
	shown   time.Time // when the line was written; zero if it is clear
}

func (m *meter) step(done, total int64) {
	now := m.now()
	if now.Sub(m.started) < progressAfter || now.Sub(m.shown) < progressEvery {
		return
	}
	m.shown = now
	if total > 0 {
		m.write(fmt.Sprintf("\r\x1b[K%s: %d %%", m.command, 100*min(done, total)/total))
	} else {
		m.write(fmt.Sprintf("\r\x1b[K%s: %d", m.command, done))
	}
}

// clear clears the line.
func (m *meter) clear() {
	if m != nil && !m.shown.IsZero() {
		m.write("\r\x1b[K")
		m.shown = time.Time{}
	}
}
