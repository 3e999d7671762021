package lineage

import "testing"

// The processes of the trees. A question is asked at 500.
var (
	first   = Process{PID: 1, Name: "systemd", System: true}
	manager = Process{PID: 10, Start: 20, UID: 1000, Name: "systemd", System: true, Session: 10}
	desktop = Process{PID: 11, Start: 30, UID: 1000, Name: "gnome-shell", System: true, Session: 11}
	window  = Process{PID: 12, Start: 40, UID: 1000, Name: "xterm", System: true, Session: 10}
	server  = Process{PID: 13, Start: 50, UID: 1000, Name: "tmux", System: true, Session: 13}
	login   = Process{PID: 14, Start: 60, Name: "login", Session: 14}
	listens = Process{PID: 15, Start: 10, Name: "sshd", Session: 15}
	accepts = Process{PID: 16, Start: 600, Name: "sshd-session", Session: 16}
	ssh     = Process{PID: 17, Start: 601, UID: 1000, Name: "sshd-session", Session: 16}
	agent   = Process{PID: 40, Start: 200, UID: 1000, Name: "node", TTY: 1, Session: 30, System: true}
	shell   = Process{PID: 30, Start: 100, UID: 1000, Name: "zsh", TTY: 1, Session: 30, System: true}
)

// command is a techo that runs in a session.
func command(session, tty int) Process {
	return Process{PID: 90 + session, Start: 490, UID: 1000, Name: "techo", TTY: tty, Session: session}
}

// leader is a shell that leads a session at a terminal.
func leader(session, tty int, start uint64) Process {
	return Process{PID: session, Start: start, UID: 1000, Name: "bash", TTY: tty, Session: session, System: true}
}

func tree(processes ...Process) Tree {
	return Tree{Processes: append(processes, first), Spaces: "initial", Read: 500}
}

// as returns a process with changes.
func as(p Process, change func(*Process)) Process {
	change(&p)
	return p
}

type row struct {
	name     string
	asker    Tree
	answerer Tree
	verdict  Verdict
	reason   Reason
}

func (r row) check(t *testing.T) {
	t.Helper()
	if v, why := Judge(r.asker, r.answerer); v != r.verdict || why != r.reason {
		t.Errorf("%s: verdict %d, reason %d", r.name, v, why)
	}
}

var (
	asked  = tree(command(30, 1), agent, shell, window, manager)
	inPane = tree(command(30, 1), agent, shell, server, manager)
	viewer = tree(as(command(70, 7), func(p *Process) { p.Name = "tmux" }), leader(70, 7, 80), window, manager)
	pane   = tree(command(60, 2), leader(60, 2, 120), server, manager)
	script = Process{PID: 69, Start: 300, UID: 1000, Name: "script", System: true, Session: 69}
	fake   = as(window, func(p *Process) { p.System, p.PID = false, 66 })
)

// shown returns a tree whose multiplexer has clients.
func shown(t Tree, clients ...Tree) Tree {
	t.Screens = clients
	return t
}

// spaced returns a tree in other namespaces.
func spaced(t Tree, spaces string) Tree {
	t.Spaces = spaces
	return t
}

// TestJudgePersons has the places of a person.
func TestJudgePersons(t *testing.T) {
	for _, r := range []row{
		{"another window", asked, tree(command(60, 2), leader(60, 2, 120), window, manager), Persons, Evident},
		{"a window that opens later", asked, tree(command(60, 2), leader(60, 2, 700), window, manager), Persons,
			Evident},
		{"a window of the desktop", asked, tree(command(60, 2), leader(60, 2, 120), window, desktop, manager), Persons,
			Evident},
		{"a login at the console", asked, tree(command(60, 2), leader(60, 2, 700), login), Persons, Evident},
		{"a later ssh login", asked, tree(command(60, 2), leader(60, 2, 700), ssh, accepts, listens), Persons, Evident},
		{"another pane", inPane, shown(pane, viewer), Persons, Evident},
		{"a pane that ssh shows", inPane, shown(pane, tree(leader(80, 8, 700), ssh, accepts, listens)), Persons,
			Evident},
		{"a pane in a pane", inPane, shown(pane, shown(tree(leader(80, 8, 70), as(server,
			func(p *Process) { p.PID = 19 }),
			manager), viewer)), Persons, Evident},
	} {
		r.check(t)
	}
}

// TestJudgeRelated has the places of the asker.
func TestJudgeRelated(t *testing.T) {
	for _, r := range []row{
		{"the same process", asked, asked, Askers, Related},
		{"the agent's next command", asked, tree(command(75, 1), agent, shell, window, manager), Askers, Related},
		{"a session of its own", asked, tree(command(75, 0), agent, shell, window, manager), Askers, Related},
		{"a terminal that the agent opened", asked,
			tree(command(75, 3), leader(75, 3, 300), script, agent, shell, window, manager), Askers, Related},
		{"the shell that started the agent", asked, tree(command(30, 1), shell, window, manager), Askers, Related},
		{"the session of a leader that has ended", asked, tree(command(30, 1)), Askers, Related},
		{"sudo in the agent", asked, tree(command(75, 1),
			Process{PID: 76, Name: "sudo", TTY: 1, Session: 30}, agent, shell, window, manager), Askers, Related},
		{"a command that tmux runs", tree(command(75, 0), as(leader(75, 0, 480), func(*Process) {}), server, manager),
			shown(pane, viewer), Askers, Related},
		{"an answer that tmux runs", inPane, shown(tree(command(75, 0), leader(75, 0, 480), server, manager), viewer),
			Askers, Related},
	} {
		r.check(t)
	}
}

// TestJudgeUnknown has places without a sign that they are the person's.
func TestJudgeUnknown(t *testing.T) {
	for _, r := range []row{
		{"detached", asked, tree(command(75, 0)), Unknown, NoTerminal},
		{"detached to the manager", asked, tree(command(75, 0), manager), Unknown, NoTerminal},
		{"a service of the same user", asked, tree(command(75, 0), manager), Unknown, NoTerminal},
		{"a terminal of script, detached", asked, tree(command(75, 3), leader(75, 3, 300), script), Unknown, Opener},
		{"systemd-run --pty", asked, tree(leader(75, 3, 300), manager), Unknown, Opener},
		{"at that opens a terminal", asked, tree(command(75, 3), leader(75, 3, 300),
			Process{PID: 18, Name: "atd", Session: 18}), Unknown, Opener},
		{"a copy of a terminal program", asked, tree(command(75, 3), leader(75, 3, 300), fake), Unknown, Opener},
		{"a terminal program of an unknown program", asked,
			tree(command(75, 3), leader(75, 3, 300), as(window, func(p *Process) { p.PID = 66 }), script), Unknown,
			Opener},
		{"a program that calls itself login", asked, tree(command(75, 3), leader(75, 3, 300),
			as(login, func(p *Process) { p.UID, p.PID = 1000, 66 })), Unknown, Opener},
		{"sg as sshd, with one id of root", asked, tree(command(75, 3), leader(75, 3, 300),
			as(listens, func(p *Process) { p.UID, p.PID = -1, 66 })), Unknown, Opener},
		{"ssh without its server", asked, tree(command(75, 3), leader(75, 3, 300), ssh), Unknown, Opener},
		{"a window of a program that starts later", asked,
			tree(command(75, 3), leader(75, 3, 700), as(window, func(p *Process) { p.PID, p.Start = 66, 650 })),
			Unknown,
			TooNew},
		{"a pane that opens later", inPane, shown(tree(command(60, 2), leader(60, 2, 700), server, manager), viewer),
			Unknown, TooNew},
		{"a pane that is not shown", inPane, pane, Unknown, NotShown},
		{"a pane that the agent's terminal shows", inPane, shown(pane, tree(command(75, 3), leader(75, 3, 300),
			script)),
			Unknown, NotShown},
		{"a pane that the asker shows", asked, shown(pane, tree(command(75, 1), agent, shell, window, manager)),
			Unknown,
			NotShown},
		{"a screen whose program cannot be read", inPane,
			shown(tree(command(60, 2), leader(60, 2, 120), as(server, func(p *Process) { p.System = false }), manager),
				viewer), Askers, Related},
	} {
		r.check(t)
	}
}

// TestJudgeAskers has askers whose trees show too little.
func TestJudgeAskers(t *testing.T) {
	for _, r := range []row{
		{"a detached asker", tree(command(75, 0)), shown(pane, viewer), Unknown, Detached},
		{"an asker in another unit", tree(command(75, 0), manager), asked, Unknown, Detached},
		{"an asker under a copy of a terminal program", tree(command(75, 3), leader(75, 3, 300), fake),
			tree(command(60, 2), leader(60, 2, 120), window, manager), Unknown, Detached},
		{"other namespaces", asked, spaced(tree(command(60, 2), leader(60, 2, 120), window, manager), "mine"), Unknown,
			OtherSpaces},
		{"unknown namespaces of both", spaced(asked, ""), spaced(pane, ""), Unknown, Unreadable},
		{"an unknown asker", Tree{}, shown(pane, viewer), Unknown, Unreadable},
		{"an unknown answerer", asked, Tree{}, Unknown, Unreadable},
		{"a reused PID", asked, tree(command(60, 2), leader(60, 2, 120), window, as(agent,
			func(p *Process) { p.Start = 1 }),
			manager), Unknown, Opener},
	} {
		r.check(t)
	}
}

// TestJudgeRoot has the rows in which the user is root, whose programs may be anything
// that belongs to root.
func TestJudgeRoot(t *testing.T) {
	own := func(all ...Process) Tree {
		for i := range all {
			all[i].UID = 0
		}
		return tree(all...)
	}
	daemon := as(listens, func(p *Process) { p.System = true })
	connection := as(accepts, func(p *Process) { p.System, p.PID, p.Session = true, 26, 26 })
	asked := own(command(30, 1), agent, shell, connection, daemon)
	row{"ssh", asked, own(command(60, 2), leader(60, 2, 700), as(accepts, func(p *Process) { p.System = true }),
		daemon),
		Persons, Evident}.check(t)
	row{"a program that calls itself sshd", asked, own(command(60, 2), leader(60, 2, 700), accepts, daemon), Unknown,
		Opener}.check(t)
	row{"an agent of root behind both", own(command(75, 1), agent, shell, connection, daemon),
		own(command(76, 0), agent, shell, connection, daemon), Askers, Related}.check(t)
}

// TestOwn judges the terminal of a command by itself.
func TestOwn(t *testing.T) {
	for name, c := range map[string]struct {
		tree Tree
		want Reason
	}{
		"a window": {tree(command(60, 2), leader(60, 2, 120), window, manager), Evident},
		// An agent's shell shares the terminal of the person's login, without typing there.
		"an agent's shell":   {tree(command(30, 1), agent, shell, window, manager), Evident},
		"a window in script": {tree(command(75, 3), leader(75, 3, 300), leader(60, 2, 120), window, manager), Opener},
		"no terminal":        {tree(command(75, 0), agent, shell, window, manager), NoTerminal},
		"unknown":            {Tree{}, Unreadable},
	} {
		if why := Own(c.tree); why != c.want {
			t.Errorf("%s: reason %d", name, why)
		}
	}
}
