package lineage

import "testing"

// chain returns a tree of processes, which belong to user 1000 unless they have
// another UID. The last one is process 1.
func chain(session int, cgroup string, processes ...Process) Tree {
	for i := range processes {
		if processes[i].UID == 0 {
			processes[i].UID = 1000
		}
	}
	return Tree{Processes: processes, Session: session, Space: "x", Cgroup: cgroup}
}

// TestApart distinguishes a person's terminal from the shells of an agent and
// from the processes that an agent has detached.
func TestApart(t *testing.T) {
	first := Process{PID: 1, Name: "systemd", UID: -1}
	manager := Process{PID: 10, Name: "systemd"}
	tmux, odd := Process{PID: 20, Name: "tmux: server"}, Process{PID: 20, Name: "mine"}
	shell, agent := Process{PID: 30, Name: "zsh", TTY: 1}, Process{PID: 40, Name: "agent", TTY: 1}
	asked := chain(30, "scope", Process{PID: 52, TTY: 1}, Process{PID: 51, TTY: 1}, agent, shell, tmux, manager, first)
	oddly := chain(30, "scope", Process{PID: 52, TTY: 1}, Process{PID: 51, TTY: 1}, agent, shell, odd, manager, first)
	person := chain(60, "scope", Process{PID: 62, TTY: 2}, Process{PID: 60, TTY: 2}, tmux, manager, first)
	for _, c := range []struct {
		name           string
		asker, other   Tree
		related, apart bool
	}{
		{"another terminal", asked, person, false, true},
		{"the same process", asked, asked, true, false},
		{"the agent's next command", asked,
			chain(30, "scope", Process{PID: 70, TTY: 1}, agent, shell, tmux, manager, first), true, false},
		{"in a session of its own", asked, chain(70, "scope", Process{PID: 70}, agent, shell, tmux, manager, first),
			true, false},
		{"at a terminal that the agent opened", asked,
			chain(70, "scope", Process{PID: 70, TTY: 3}, Process{PID: 69}, agent, shell, tmux, manager, first), true,
			false},
		{"the shell that started the agent", asked,
			chain(30, "scope", Process{PID: 70, TTY: 1}, shell, tmux, manager, first), true, false},
		{"detached", asked, chain(70, "scope", Process{PID: 70}, first), false, false},
		{"detached to the manager", asked, chain(70, "scope", Process{PID: 70}, manager, first), false, false},
		{"a service of the same user", asked, chain(70, "service", Process{PID: 70}, manager, first), false, true},
		{"an unknown terminal program", oddly,
			chain(60, "scope", Process{PID: 62, TTY: 2}, Process{PID: 60, TTY: 2}, odd, manager, first), true, false},
		{"a reused PID", asked,
			chain(60, "scope", Process{PID: 62, TTY: 2}, Process{PID: 40, Start: 5, TTY: 2}, tmux, manager, first),
			false, true},
		{"unknown", Tree{}, person, false, false},
		{"an unknown answerer", asked, Tree{}, false, false},
	} {
		if got := c.asker.Known() && c.other.Known() && Related(c.asker, c.other); got != c.related {
			t.Errorf("%s: related: %v", c.name, got)
		}
		if got := Apart(c.asker, c.other); got != c.apart {
			t.Errorf("%s: apart: %v", c.name, got)
		}
	}
	entered := chain(60, "scope", Process{PID: 60, TTY: 2})
	entered.Entered = true
	if !Apart(asked, entered) || Apart(entered, entered) {
		t.Error("a process that entered a container from outside")
	}
}
