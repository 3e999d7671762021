package run

import (
	"strconv"
	"techo/commands/system"
	"techo/tools"
	"unicode/utf8"
)

// turns limits the calls in one turn of a conversation.
type turns struct {
	turn string // the host's name for it; "" counts the calls of the last minute
	most int
}

// maxTurnName limits the name of a turn, in bytes.
const maxTurnName = 128

// chooseTurns reads the settings. The lower limit of the flag and the environment
// applies, so that a model that writes a command line cannot exceed the person's
// limit.
func chooseTurns(w system.System, flags map[string]string,
	wrong func(path, source string, message tools.Text, args ...any)) turns {
	t := turns{turn: flags["turn"], most: tools.DefaultMaxPerTurn}
	if v, given := flags["turn"]; given && v == "" || len(t.turn) > maxTurnName || !utf8.ValidString(t.turn) {
		wrong("turn", "--turn", "must be UTF-8 of 1 to %d bytes", maxTurnName)
	}
	limit := FindSetting("max-per-turn")
	read := func(text, source string, use func(n int)) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			wrong(limit.Name, source, "must be a whole number from 1, not %q", text)
			return
		}
		use(n)
	}
	if v, given := flags[limit.Name]; given {
		read(v, "--"+limit.Name, func(n int) { t.most = n })
	}
	if v := w.Getenv(limit.Env); v != "" {
		_, given := flags[limit.Name]
		read(v, limit.Env, func(n int) {
			if !given || n < t.most {
				t.most = n
			}
		})
	}
	return t
}

// caller identifies the caller of this run.
func (s *Run) caller() tools.Caller {
	client := s.ClientName
	if client == "" {
		client = "command" // all commands of a user count as one client
	}
	return tools.Caller{
		Client: client, Turn: s.Options.turns.turn, MaxPerTurn: s.Options.turns.most,
		Tree: s.System.Lineage, Answers: s.System.Getenv("TECHO_ANSWER") == "command",
	}
}
