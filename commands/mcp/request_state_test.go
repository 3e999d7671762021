package mcp

import (
	"strings"
	"testing"
)

// TestRequestState checks that only the identity for which a state was signed can use
// it, and that forged states are refused.
func TestRequestState(t *testing.T) {
	a, other := &adapter{secret: []byte("ours")}, &adapter{secret: []byte("theirs")}
	q := askState{ID: "q1", Key: "k", Attempts: 1}
	state := a.sealState(q, "alice")
	if got, ok := a.openState(state, "alice"); !ok || got != q {
		t.Errorf("%s: %v %v", state, got, ok)
	}
	if _, ok := a.openState(state, "bob"); ok {
		t.Error("the state of another user is accepted")
	}
	for _, forged := range []string{"", "x", state + " ", strings.Replace(state, "q1", "q2", 1),
		other.sealState(q, "alice")} {
		if _, ok := a.openState(forged, "alice"); ok {
			t.Errorf("%q is accepted", forged)
		}
	}
}
