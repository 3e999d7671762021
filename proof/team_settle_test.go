package proof

import (
	"testing"
	"time"
)

// TestTeamSettledOnStandby breaks the connection of a commit that waits for the
// synchronous standby. The commit is then visible on the primary alone, and must not be
// acknowledged before the standby has it: the primary may fail next.
func TestTeamSettledOnStandby(t *testing.T) {
	primary := startDatabase(t)
	standby := startStandby(t, primary)
	address := migrated(t, primary.Address("settled", standby))
	mustTecho(t, address, "memo", "add", "first", "x", "--priority", "3")
	if err := standby.Kill(); err != nil {
		t.Fatal(err)
	}
	answered := make(chan answer, 1)
	go func() {
		answered <- collect(command(t.Context(), address, "memo", "add", "second", "x", "--priority", "3"))
	}()
	waiting := func() string {
		pid, err := primary.Query("SELECT max(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	await := func(other string) (pid string) {
		for {
			if pid = waiting(); pid != "" && pid != other {
				return pid
			}
			select {
			case a := <-answered:
				t.Fatalf("acknowledged without the standby: %v", a)
			case <-t.Context().Done():
				t.Fatal(t.Context().Err())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	first := await("")
	if _, err := primary.Query("SELECT pg_terminate_backend(" + first + ")"); err != nil {
		t.Fatal(err)
	}
	await(first) // the question whether the commit has happened waits as well
	if err := standby.Start(); err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.Code != 0 {
		t.Errorf("%v", a)
	}
	if err := primary.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := standby.Promote(); err != nil {
		t.Fatal(err)
	}
	wantMemos(t, address, map[string]string{"first": "x", "second": "x"})
}
