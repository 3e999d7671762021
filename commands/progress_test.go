package commands

import (
	"techo/commands/output"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	var said string
	now := time.Unix(0, 0)
	m := &output.Meter{Write: func(text string) { said += text }, Now: func() time.Time { return now },
		What: "techo store verify", Started: now}
	m.Clear()
	m.Step(1, 10)
	if said != "" {
		t.Errorf("short work said %q", said)
	}
	now = now.Add(time.Second)
	m.Step(2, 10)
	m.Step(3, 10) // too soon after
	now = now.Add(output.ProgressEvery)
	m.Step(12, 10)
	now = now.Add(output.ProgressEvery)
	m.Step(13, 0)
	m.Clear()
	m.Clear()
	const line = "\r\x1b[Ktecho store verify: "
	if want := line + "20 %" + line + "100 %" + line + "13" + "\r\x1b[K"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
}
