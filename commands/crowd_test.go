package commands

import (
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// TestIfFreeCrowd starts twenty processes that book the same time: one succeeds.
func TestIfFreeCrowd(t *testing.T) {
	binary := build(t)
	dir := t.TempDir()
	var group sync.WaitGroup
	answers := make(chan string, 20)
	for range 20 {
		group.Go(func() {
			out, _ := shell(dir, binary, `techo cal create Meeting "2026-01-08 14:00" --if-free --store s`)
			answers <- out
		})
	}
	group.Wait()
	close(answers)
	won := 0
	for a := range answers {
		switch {
		case strings.Contains(a, `"conflicts":[]`):
			won++
		case !strings.Contains(a, `"code":"conflict"`):
			t.Error(a)
		}
	}
	if won != 1 {
		t.Errorf("%d of 20 processes booked the same time", won)
	}
	if out, err := exec.Command(binary, "cal", "list", "2026-01-08", "--tz", "Asia/Tokyo", "--store", dir+
		"/s").Output(); err != nil || !strings.Contains(string(out), `"count":1,`) {
		t.Errorf("%s, %v", out, err)
	}
}
