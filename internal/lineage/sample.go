package lineage

import "hash/fnv"

// Sample returns a tree for tests: of a command in a window of a terminal program that was
// open before any question. Trees with different names are in different windows.
func Sample(name string) Tree {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	leader := 1000 + int(h.Sum32()>>8)
	shell := Process{PID: leader, Start: 20, UID: 1000, Name: "bash", TTY: leader, Session: leader, System: true}
	command := Process{PID: leader + 1, Start: 30, UID: 1000, Name: "techo", TTY: leader, Session: leader}
	return Tree{Spaces: "sample", Read: 40, Processes: []Process{command, shell,
		{PID: 10, Start: 10, UID: 1000, Name: "xterm", Session: 10, System: true},
		{PID: 1, Name: "systemd", System: true}}}
}
