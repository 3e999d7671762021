package run

import (
	"strconv"
	"unicode/utf8"

	"techo/tools"
)

// turns limits the calls in one turn of a conversation.
type turns struct {
	turn string // the host's name for it; "" counts the calls of the last minute
	max  int
}

// maxTurnName limits the name of a turn, in bytes.
const maxTurnName = 128

// turns reads the settings. The lower limit of the flag and the environment
// applies, so that a model that writes a command line cannot exceed the person's
// limit.
func (p *parser) turns() turns {
	t := turns{turn: p.flags["turn"], max: tools.DefaultMaxPerTurn}
	if v, given := p.flags["turn"]; given && v == "" || len(t.turn) > maxTurnName || !utf8.ValidString(t.turn) {
		p.refuse("turn", "--turn", "must be UTF-8 of 1 to %d bytes", maxTurnName)
	}
	limit := FindSetting("max-per-turn")
	flag, given := p.flags[limit.Name]
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
	client := s.ClientName
	if client == "" {
		client = "command" // all commands of a user count as one client
	}
	return tools.Caller{
		Client: client, Turn: s.Options.turns.turn, MaxPerTurn: s.Options.turns.max,
		Tree: s.System.Lineage, Answers: s.Options.answers,
		Vouched: s.Vouched, Secret: s.SecretGiven,
	}
}
