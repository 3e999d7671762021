// Package lineage compares the process trees of two callers, to decide whether
// the same agent could be behind both.
package lineage

import "slices"

// Process is one process of a tree.
type Process struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // in clock ticks since boot; the system reuses PIDs
	UID   int    `json:"uid"`
	Name  string `json:"name"`
	TTY   int    `json:"tty,omitempty"` // the controlling terminal, 0 for none
}

// Tree is a process and its visible ancestors. The zero Tree stands for an
// unknown caller.
type Tree struct {
	Processes []Process `json:"processes,omitempty"` // the process first, then its parent
	Session   int       `json:"session,omitempty"`   // the POSIX session
	Space     string    `json:"space,omitempty"`     // the boot and the PID namespace that the numbers belong to
	Cgroup    string    `json:"cgroup,omitempty"`
	Entered   bool      `json:"entered,omitempty"` // the process entered its PID namespace from outside
}

// Known reports whether the tree has processes.
func (t Tree) Known() bool { return len(t.Processes) > 0 }

// Related reports whether two known trees are in one session or share a process
// that may be an agent. Processes that start the programs of many sessions do
// not count: process 1, processes of another user, the user's service manager,
// and known terminal programs.
func Related(a, b Tree) bool {
	if a.Space != b.Space {
		return false
	}
	if a.Session == b.Session {
		return true
	}
	for i, p := range a.Processes {
		if slices.ContainsFunc(b.Processes, func(q Process) bool { return p.PID == q.PID && p.Start == q.Start }) &&
			!a.neutral(i) {
			return true
		}
	}
	return false
}

// Apart reports whether two trees certainly belong to different programs: both
// are known, they are not related, and neither can be a detached part of the
// other. A detached process stays in its cgroup, has no terminal program as an
// ancestor and enters no namespace.
func Apart(asker, answerer Tree) bool {
	if !asker.Known() || !answerer.Known() || Related(asker, answerer) {
		return false
	}
	return answerer.Entered || asker.Cgroup != answerer.Cgroup || asker.fromTerminal() && answerer.fromTerminal()
}

// neutral reports whether the i-th process starts programs of many sessions.
func (t Tree) neutral(i int) bool {
	p := t.Processes[i]
	last := i == len(t.Processes)-1
	parentIsFirst := !last && t.Processes[i+1].PID == 1
	return p.PID == 1 || p.UID != t.Processes[0].UID || p.Name == "systemd" && parentIsFirst || p.opensTerminals()
}

// fromTerminal reports whether a known terminal program started the tree.
func (t Tree) fromTerminal() bool { return slices.ContainsFunc(t.Processes, Process.opensTerminals) }

// opensTerminals reports whether a process is a known terminal program, or a
// desktop that starts such programs. An unknown program counts as an agent: a
// person who uses it is refused and has to answer elsewhere.
func (p Process) opensTerminals() bool {
	names := []string{
		"tmux: server", "screen", "sshd", "sshd-session", "login", "mosh-server", "gnome-terminal-", "ptyxis-agent",
		"kgx", "konsole", "xfce4-terminal", "mate-terminal", "lxterminal", "terminator", "tilix", "kitty",
		"alacritty", "wezterm-gui", "wezterm-mux-ser", "foot", "ghostty", "xterm", "urxvt", "urxvtd", "st",
		"gnome-shell", "plasmashell", "sway", "i3", "Hyprland", "niri",
	}
	return p.TTY == 0 && slices.Contains(names, p.Name)
}
