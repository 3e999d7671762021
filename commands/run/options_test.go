package run

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"techo/commands/system"
)

// TestParseIsSmall: every command reads the settings once, so they take little memory without any: no
// grammar and no regular expression is made. A process of its own counts the first time.
func TestParseIsSmall(t *testing.T) {
	const most = 16 << 10 // bytes; 3 KB when this was written
	if os.Getenv("TECHO_TEST_CHILD") == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestParseIsSmall$", "-test.v")
		c.Env = append(os.Environ(), "TECHO_TEST_CHILD=1")
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "bytes") {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	none := system.System{Getenv: func(name string) string { return map[string]string{"USER": "tanaka"}[name] }, Now: time.Now}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, problems := Parse(none, Given{})
	runtime.ReadMemStats(&after)
	fmt.Println(after.TotalAlloc-before.TotalAlloc, "bytes")
	if taken := after.TotalAlloc - before.TotalAlloc; taken > most || len(problems) > 0 {
		t.Errorf("%d bytes, at most %d; %v", taken, most, problems)
	}
}
