package output

import (
	"fmt"
	"time"
)

const (
	progressAfter = 500 * time.Millisecond // short work says nothing
	ProgressEvery = 100 * time.Millisecond
)

// Meter shows on a terminal how far long work has come, on one line, which is
// gone before the answer comes.
type Meter struct {
	Write   func(string)
	Now     func() time.Time
	What    string
	Started time.Time
	shown   time.Time // when it was last shown; zero when nothing is on the line
}

func (m *Meter) Step(done, total int64) {
	now := m.Now()
	if now.Sub(m.Started) < progressAfter || now.Sub(m.shown) < ProgressEvery {
		return
	}
	m.shown = now
	if total > 0 {
		m.Write(fmt.Sprintf("\r\x1b[K%s: %d %%", m.What, 100*min(done, total)/total))
	} else {
		m.Write(fmt.Sprintf("\r\x1b[K%s: %d", m.What, done))
	}
}

// Clear takes the line away.
func (m *Meter) Clear() {
	if m != nil && !m.shown.IsZero() {
		m.Write("\r\x1b[K")
		m.shown = time.Time{}
	}
}
