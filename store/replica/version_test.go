package replica

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"techo/internal/testenv"
)

// TestOrder lets machines change one record within the same few milliseconds, each with what it has heard of
// the others. Whatever order their files arrive in, all machines have the same versions in the same order,
// no two versions are equal in it, and none is before one that it replaced.
func TestOrder(t *testing.T) {
	r := testenv.Random(t)
	for range testenv.Pick(500, 20_000) {
		orderRun(t, r)
	}
}

func orderRun(t *testing.T, r *rand.Rand) {
	t.Helper()
	type machine struct {
		name     string
		frontier Frontier
		own      Seen
	}
	var machines []*machine
	for _, name := range []string{"a", "b", "c", "d"}[:2+r.IntN(3)] {
		machines = append(machines, &machine{name: name, own: Seen{}})
	}
	said := map[string][]Version{} // of each machine, in order: the number of a segment is its place here
	knew := map[string][]Seen{}
	seen := func(machine string, segment uint64) Seen { return knew[machine][segment-1] }
	hear := func(m *machine, from string) bool {
		n := m.own[from]
		if m.name == from || n == uint64(len(said[from])) {
			return false
		}
		m.frontier, _ = m.frontier.with(said[from][n], seen)
		m.own[from] = n + 1
		return true
	}
	for range 2 + r.IntN(12) {
		m := machines[r.IntN(len(machines))]
		for range r.IntN(3) {
			hear(m, machines[r.IntN(len(machines))].name)
		}
		number := uint64(len(said[m.name]) + 1)
		own := Seen{}
		for from, n := range m.own {
			own[from] = n
		}
		v := Version{Stamp: after(1000+r.Int64N(2), m.name, m.frontier), Segment: number, Removed: r.IntN(4) == 0,
			Beyond: beyond(m.frontier, m.name, own, seen)}
		for _, u := range m.frontier {
			if v.Stamp.Compare(u.Stamp) <= 0 {
				t.Fatalf("%+v replaced %+v", v, u)
			}
		}
		for _, all := range said {
			for _, u := range all {
				if v.Stamp.Compare(u.Stamp) == 0 {
					t.Fatalf("%+v and %+v are equal", v, u)
				}
			}
		}
		m.frontier = Frontier{v}
		said[m.name] = append(said[m.name], v)
		knew[m.name] = append(knew[m.name], own)
	}
	for moved := true; moved; {
		moved = false
		for _, m := range machines {
			for _, i := range r.Perm(len(machines)) {
				if r.IntN(2) == 0 {
					moved = hear(m, machines[i].name) || moved
				}
			}
		}
		for _, m := range machines {
			for from := range said {
				moved = moved || m.name != from && m.own[from] < uint64(len(said[from]))
			}
		}
	}
	for _, m := range machines[1:] {
		if !reflect.DeepEqual(m.frontier, machines[0].frontier) {
			t.Fatalf("%s has\n%+v\n%s has\n%+v\nof %+v", m.name, m.frontier, machines[0].name, machines[0].frontier, said)
		}
	}
	winner, _ := machines[0].frontier.winner()
	if slices.ContainsFunc(machines[0].frontier, func(v Version) bool {
		return winner.Removed && !v.Removed || winner.Removed == v.Removed && v.Stamp.Compare(winner.Stamp) > 0
	}) {
		t.Fatalf("%+v wins of %+v", winner, machines[0].frontier)
	}
}
