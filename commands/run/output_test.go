package run

import (
	"testing"
	"time"
)

// TestMeter checks when the progress of a command is written, and what.
func TestMeter(t *testing.T) {
	var said string
	now := time.Unix(0, 0)
	m := &meter{write: func(text string) { said += text }, now: func() time.Time { return now },
		command: "techo store verify", started: now}
	m.clear()
	m.step(1, 10)
	if said != "" {
		t.Errorf("short work said %q", said)
	}
	now = now.Add(time.Second)
	m.step(2, 10)
	m.step(3, 10) // too soon
	now = now.Add(progressEvery)
	m.step(12, 10)
	now = now.Add(progressEvery)
	m.step(13, 0)
	m.clear()
	m.clear()
	const line = "\r\x1b[Ktecho store verify: "
	if want := line + "20 %" + line + "100 %" + line + "13" + "\r\x1b[K"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
}
