// Package lineage judges whether the place of an answer is the person's or may be
// the asker's. Processes of one user can imitate each other, so the absence of a
// relation proves nothing: a place is the person's only on positive evidence.
package lineage

import (
	"math"
	"slices"
)

// Process is one process of a tree.
type Process struct {
	PID     int    `json:"pid"`
	Start   uint64 `json:"start"` // in clock ticks since boot; the system reuses PIDs
	UID     int    `json:"uid"`   // the real one; 0 only if all of them are
	Name    string `json:"name"`  // of its program's file if System, else what it calls itself
	TTY     int    `json:"tty,omitempty"`
	Session int    `json:"session,omitempty"`
	System  bool   `json:"system,omitempty"` // only root can change the file of its program
}

// Tree is a process and its ancestors up to process 1. The zero Tree stands for an
// unknown caller.
type Tree struct {
	Processes []Process `json:"processes,omitempty"` // the process first, then its parent
	Spaces    string    `json:"spaces,omitempty"`    // the boot and the namespaces that the numbers belong to
	Read      uint64    `json:"read,omitempty"`      // when the tree was read, in clock ticks since boot
	Screens   []Tree    `json:"-"`                   // of the clients that show the multiplexer of the tree
}

// Verdict says whose a place is.
type Verdict int

// The verdicts. The zero value is the closed one.
const (
	Askers  Verdict = iota // it may be the asker's own
	Unknown                // no evidence; the person's secret outweighs that
	Persons                // everything about it is the person's
)

// Reason explains a verdict.
type Reason int

// The reasons.
const (
	Evident     Reason = iota // nothing speaks against the place
	Related                   // both have a session or an ancestor in common
	Unreadable                // a tree is not known
	OtherSpaces               // other namespaces, or another boot
	Detached                  // the asker has left the terminal that it was started in
	NoTerminal                // the place has no terminal
	Opener                    // no known program opened the terminal for a person
	TooNew                    // the terminal was opened after the question
	NotShown                  // no terminal of a person shows the multiplexer
)

// Judge decides whether an answer may come from a process: it is the only table of
// verdicts, of which Own is the part without an asker. The first row that applies decides.
func Judge(asker, answerer Tree) (Verdict, Reason) {
	switch {
	case !asker.Known() || !answerer.Known():
		return Unknown, Unreadable
	case asker.Spaces != answerer.Spaces:
		return Unknown, OtherSpaces
	case related(asker, answerer):
		return Askers, Related
	case !asker.attached():
		return Unknown, Detached
	}
	why := answerer.place(asker.Read, func(client Tree) bool { return !related(asker, client) })
	if why == Evident {
		return Persons, why
	}
	return Unknown, why
}

// Own returns Evident if the controlling terminal of a process is the person's: for a prompt
// in the terminal of the command itself. An agent's shell may share a terminal with its person,
// who alone types there; a terminal that the agent opens is never that one.
func Own(t Tree) Reason {
	if !t.Known() {
		return Unreadable
	}
	return t.place(math.MaxUint64, func(Tree) bool { return true })
}

// Known reports whether the tree could be read.
func (t Tree) Known() bool { return len(t.Processes) > 0 && t.Spaces != "" }

// related reports whether two trees are in one session or share a process that may be
// an agent.
func related(a, b Tree) bool {
	if a.Processes[0].Session == b.Processes[0].Session {
		return true
	}
	for i, p := range a.Processes {
		j := slices.IndexFunc(b.Processes, func(q Process) bool { return p.PID == q.PID && p.Start == q.Start })
		if j >= 0 && !(a.neutral(i) && b.neutral(j)) {
			return true
		}
	}
	return false
}

// attached reports whether a terminal program or a login is among the ancestors. A
// process without one may have left an agent's tree: then nothing shows which processes
// are the agent's.
func (t Tree) attached() bool {
	for i := range t.Processes {
		if t.logsIn(i) || t.opens(i) {
			return true
		}
	}
	return false
}

// neutral reports whether the i-th process starts programs of many sessions. The server
// of a multiplexer does so only for its panes, not for a command that it runs itself.
func (t Tree) neutral(i int) bool {
	p := t.Processes[i]
	isManager := p.Name == "systemd" && p.System && i+2 == len(t.Processes)
	isDesktop := p.System && slices.Contains([]string{"gnome-shell", "plasmashell", "kwin_wayland", "sway", "i3",
		"Hyprland", "niri", "labwc", "xfce4-panel"}, p.Name)
	return p.PID == 1 || p.UID == 0 && t.Processes[0].UID != 0 || isManager || isDesktop || t.logsIn(i) || t.opens(i)
}

// place returns Evident if the process is in a terminal of a person that a terminal
// program or a login opened. before is the time of the question, and isOther excludes
// the asker's own clients of a multiplexer.
func (t Tree) place(before uint64, isOther func(client Tree) bool) Reason {
	leader := slices.IndexFunc(t.Processes, func(p Process) bool { return p.PID == p.Session })
	if t.Processes[0].TTY == 0 || leader < 0 || t.Processes[leader].TTY != t.Processes[0].TTY {
		return NoTerminal
	}
	opener := leader + 1
	for i := opener + 1; i < len(t.Processes); i++ {
		if !t.neutral(i) { // an unknown program opened the terminal program
			return Opener
		}
	}
	switch {
	case opener >= len(t.Processes) || !t.logsIn(opener) && !t.opens(opener):
		return Opener
	case t.logsIn(opener):
		return Evident
	case !slices.Contains(multiplexers(), t.Processes[opener].Name):
		if t.Processes[opener].Start >= before {
			return TooNew
		}
		return Evident
	case t.Processes[leader].Start >= before: // any process can open a pane and type into it
		return TooNew
	case !slices.ContainsFunc(t.Screens, func(s Tree) bool {
		return s.Known() && s.Spaces == t.Spaces && isOther(s) && s.place(before, isOther) == Evident
	}):
		return NotShown
	}
	return Evident
}

// multiplexers show their terminals on other terminals, and type into them for any
// process of the user.
func multiplexers() []string { return []string{"tmux", "screen", "zellij"} }

// terminals are the programs that open terminals in windows. An unknown one counts as
// an agent.
func terminals() []string {
	return []string{"gnome-terminal-server", "ptyxis-agent", "kgx", "konsole", "xfce4-terminal", "mate-terminal",
		"lxterminal", "tilix", "kitty", "alacritty", "foot", "ghostty", "xterm", "urxvt", "urxvtd",
		"rxvt", "st"}
}

// opens reports whether the i-th process is a terminal program that opened the terminal
// of the process below.
func (t Tree) opens(i int) bool {
	p := t.Processes[i]
	return t.leads(i-1) && t.Processes[i-1].TTY != 0 && p.System &&
		(slices.Contains(terminals(), p.Name) || slices.Contains(multiplexers(), p.Name))
}

// logsIn reports whether the i-th process logs persons in and began the session of the
// process below. Only root can start such a process.
func (t Tree) logsIn(i int) bool {
	if !t.leads(i - 1) {
		return false
	}
	of := func(i int, names ...string) bool {
		return i < len(t.Processes) && slices.Contains(names, t.Processes[i].Name) && t.Processes[i].UID == 0 &&
			(t.Processes[0].UID != 0 || t.Processes[i].System)
	}
	// For a user, sshd hands over to a process of that user, whose program cannot be read.
	hands := t.Processes[0].UID != 0 && slices.Contains([]string{"sshd", "sshd-session"}, t.Processes[i].Name)
	return of(i, "login", "sshd", "sshd-session") || hands && of(i+1, "sshd", "sshd-session")
}

// leads reports whether the i-th process leads a session.
func (t Tree) leads(i int) bool { return i >= 0 && t.Processes[i].PID == t.Processes[i].Session }
