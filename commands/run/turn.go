package run

import (
	"strconv"
	"unicode/utf8"

	"techo/tools"
)

// turns limits the calls in one turn of a conversation.
type turns struct {
	turn string // the host's name for it, or ""
	max  int
}

// maxTurnName limits the name of a turn, in bytes.
const maxTurnName = 128

// turns reads the settings for a command. A flag cannot exceed the limit of the person in
// the environment, nor leave the turn that the host set there: a model may have written it.
func (p *parser) turns(command []string) turns {
	flag, given := p.flags["turn"]
	t := turns{turn: flag, max: tools.DefaultMaxPerTurn}
	source := "--turn"
	host, variable := p.sys.Getenv(FindSetting("turn").Env), FindSetting("turn").Env
	switch {
	case host == "", len(command) > 0 && command[0] == "serve": // its clients have turns of their own
	case given && flag != host:
		p.refuse("turn", source, "must be the turn of %s", variable)
	default:
		t.turn, source = host, variable
	}
	if given && flag == "" || len(t.turn) > maxTurnName || !utf8.ValidString(t.turn) {
		p.refuse("turn", source, "must be UTF-8 of 1 to %d bytes", maxTurnName)
	}
	limit := FindSetting("max-per-turn")
	flag, given = p.flags[limit.Name]
	if given {
		if n, ok := p.positive(limit.Name, "--"+limit.Name, flag); ok {
			t.max = n
		}
	}
	if text, source := standing(p, limit.Name); text != "" {
		if n, ok := p.positive(limit.Name, source, text); ok && (!given || n < t.max) {
			t.max = n
		}
	}
	return t
}

// positive reads a whole number from 1.
func (p *parser) positive(name, source, text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		p.refuse(name, source, "must be a whole number from 1, not %q", text)
		return 0, false
	}
	return n, true
}

// caller identifies the caller of this run.
func (s *Run) caller() tools.Caller {
	client, limit := s.ClientName, s.Options.turns.max
	if client == "" {
		client = "command"
		if s.Options.turns.turn == "" {
			limit = 0 // commands come from persons, scripts and any number of agents
		}
	}
	return tools.Caller{
		Client: client, Turn: s.Options.turns.turn, MaxPerTurn: limit,
		Tree: s.System.Lineage, Answers: s.Options.answers,
		Vouched: s.Vouched, Secret: s.SecretGiven,
	}
}

// ForgetTurn removes the turn that the host has set for the process: the clients of a server
// have turns of their own.
func ForgetTurn(s *Run) { s.Options.turns.turn = "" }
