package proof

import (
	"fmt"
	"testing"

	"techo/internal/testenv"
)

// TestCrowdKilled is TestCrowd while processes are killed, both those that make one
// call and long-lived ones. Killed calls are repeated with the same idempotency key.
func TestCrowdKilled(t *testing.T) {
	r := testenv.Random(t)
	c := newCrowd(t)
	lanes, calls := c.size()
	stop, kills := make(chan struct{}), make(chan int, 1)
	go func() { kills <- c.killSome(r, stop) }()
	c.run(t, lanes, func(lane int) {
		var names []string
		for n := range calls {
			names = append(names, fmt.Sprintf("memo-%d-%d", lane, n))
		}
		if lane%4 == 0 {
			c.addByHolder(t, names)
			return
		}
		for _, name := range names {
			c.addOnce(t, name)
		}
	})
	close(stop)
	n := <-kills
	t.Logf("%d kills", n)
	if n == 0 {
		t.Error("nothing was killed")
	}
	if len(c.want) != lanes*calls {
		t.Errorf("%d of %d writes were acknowledged", len(c.want), lanes*calls)
	}
	c.wantAll(t)
}
