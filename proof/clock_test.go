package proof

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// clocked is a store whose callers use a clock that the test sets.
type clocked struct {
	store string
	now   time.Time
}

func newClocked(t *testing.T) *clocked {
	return &clocked{filepath.Join(t.TempDir(), "store"), time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)}
}

// techo makes a call that must succeed, with the test's clock.
func (c *clocked) techo(t *testing.T, args ...string) answer {
	t.Helper()
	a := c.try(t, args...)
	if a.Code != 0 {
		t.Fatalf("%v", a)
	}
	return a
}

// try makes a call that may fail.
func (c *clocked) try(t *testing.T, args ...string) answer {
	t.Helper()
	cmd := command(t.Context(), c.store, args...)
	cmd.Env = append(cmd.Env, "TECHO_NOW="+c.now.Format(time.RFC3339Nano))
	a := collect(cmd)
	a.wantClean(t)
	return a
}

func (c *clocked) add(t *testing.T, name string, flags ...string) answer {
	t.Helper()
	return c.techo(t, append([]string{"memo", "add", name, "content", "--priority", "3"}, flags...)...)
}

// timesOf returns the creation and change times of a memo.
func timesOf(t *testing.T, a answer) (created, updated time.Time) {
	t.Helper()
	memo, _ := a.Doc["memo"].(map[string]any)
	for name, at := range map[string]*time.Time{"created_at": &created, "updated_at": &updated} {
		var err error
		if *at, err = time.Parse(time.RFC3339Nano, fmt.Sprint(memo[name])); err != nil {
			t.Fatalf("%v in %v", err, a)
		}
	}
	return created, updated
}

// names returns the names of the memos in the order of memo list.
func (c *clocked) names(t *testing.T) (names []string) {
	t.Helper()
	memos, _ := c.techo(t, "memo", "list", "--limit", "1000").Doc["memos"].([]any)
	for _, m := range memos {
		names = append(names, fmt.Sprint(m.(map[string]any)["name"]))
	}
	return names
}

// TestClockBack checks that a clock that goes back by a moment does not change the order of
// existing memos, and never decreases a memo's time of change.
func TestClockBack(t *testing.T) {
	c := newClocked(t)
	for n := range 5 {
		c.add(t, fmt.Sprint("memo", n))
		c.now = c.now.Add(time.Minute)
	}
	was := c.names(t)
	if want := []string{"memo4", "memo3", "memo2", "memo1", "memo0"}; !slices.Equal(was, want) {
		t.Fatalf("order %q, want %q", was, want)
	}
	c.now = c.now.Add(-time.Minute - time.Second/2)
	for n := range 5 {
		name := fmt.Sprint("memo", n)
		created, before := timesOf(t, c.techo(t, "memo", "get", name))
		again, after := timesOf(t, c.techo(t, "memo", "edit", name, "--content", "changed"))
		if after.Before(before) || !created.Equal(again) {
			t.Errorf("%s was changed at %v, and then at %v; made at %v, and then at %v", name, before, after, created,
				again)
		}
	}
	if is := c.names(t); !slices.Equal(is, was) {
		t.Errorf("order %q, was %q", is, was)
	}
	// Once the clock is right again, the last change is the latest.
	c.now = c.now.Add(time.Hour + time.Minute)
	c.techo(t, "memo", "edit", "memo2", "--content", "again")
	if is := c.names(t); is[0] != "memo2" {
		t.Errorf("order %q, want memo2 first", is)
	}
	c.techo(t, "store", "verify")
}

// TestClockForward checks that a receipt answers for 29 days, that records never
// expire, and that setting the clock back afterwards works as in TestClockBack.
func TestClockForward(t *testing.T) {
	c := newClocked(t)
	start := c.now
	first := c.add(t, "one", "--idempotency-key", "key", "--tag", "kept")
	c.now = start.AddDate(0, 0, 28)
	c.add(t, "two")
	for _, now := range []time.Time{c.now, start.Add(-time.Hour), start.AddDate(0, 0, 29), start} {
		c.now = now
		if again := c.add(t, "one", "--idempotency-key", "key", "--tag", "kept"); !bytes.Equal(again.Out, first.Out) {
			t.Errorf("at %v the key gave %s, before %s", now, again.Out, first.Out)
		}
		other := c.try(t, "memo", "add", "other", "content", "--priority", "3", "--idempotency-key", "key")
		if other.errorCode() != "conflict" || other.Code != 5 {
			t.Errorf("at %v the key with another input: %v", now, other)
		}
		if names := c.names(t); !slices.Equal(names, []string{"two", "one"}) {
			t.Errorf("at %v: %q", now, names)
		}
		c.techo(t, "store", "verify")
		c.techo(t, "store", "compact")
	}
	c.now = start.AddDate(10, 0, 0)
	c.techo(t, "store", "compact")
	if names := c.names(t); !slices.Equal(names, []string{"two", "one"}) {
		t.Errorf("after ten years: %q", names)
	}
}

// TestClockAhead checks that a change made with a clock years ahead dates no later one.
func TestClockAhead(t *testing.T) {
	c := newClocked(t)
	start := c.now
	c.add(t, "before")
	c.now = start.AddDate(3, 0, 0)
	c.add(t, "ahead")
	for n, name := range []string{"next", "after that", "last"} {
		c.now = start.Add(time.Duration(n+1) * time.Minute)
		c.add(t, name)
	}
	want := []string{"ahead", "last", "after that", "next", "before"}
	if is := c.names(t); !slices.Equal(is, want) {
		t.Errorf("order %q, want %q", is, want)
	}
	c.techo(t, "memo", "edit", "before", "--content", "changed")
	if is := c.names(t); is[1] != "before" {
		t.Errorf("order %q, want before as the second", is)
	}
	c.techo(t, "store", "verify")
	c.techo(t, "store", "compact")
	c.techo(t, "store", "verify")
}

// TestClockStands checks that IDs are unique when the clock stands still or runs
// backwards, and when a name is reused.
func TestClockStands(t *testing.T) {
	c := newClocked(t)
	seen := map[string]string{} // id → name
	for n := range 60 {
		switch {
		case n%3 == 1:
			c.now = c.now.Add(-time.Minute)
		case n%10 == 0:
			c.now = c.now.AddDate(1, 0, 0)
		}
		name := fmt.Sprint("memo", n)
		memo := c.add(t, name).Doc["memo"].(map[string]any)
		id := memo["id"].(string)
		if other, twice := seen[id]; twice {
			t.Errorf("%s and %s have the id %s", name, other, id)
		}
		seen[id] = name
		if n%4 == 0 { // renamed, so that its first name is free at the same time
			c.techo(t, "memo", "edit", name, "--new-name", "old "+name)
			again := c.add(t, name).Doc["memo"].(map[string]any)
			if again["id"] == id {
				t.Errorf("%s: a second memo has the id %s", name, id)
			}
			seen[again["id"].(string)] = name
		}
	}
	for id, name := range seen {
		memo := c.techo(t, "memo", "get", id).Doc["memo"].(map[string]any)
		if got := memo["name"]; memo["id"] != id || got != name && got != "old "+name {
			t.Errorf("id %s names %v, want %s", id, memo, name)
		}
	}
	c.techo(t, "store", "verify")
}
