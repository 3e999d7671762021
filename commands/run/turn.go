package run

import (
	"strconv"
	"techo/commands/system"
	"techo/tools"
	"unicode/utf8"
)

// turns are the settings that bound the calls of one turn of a conversation.
type turns struct {
	turn string // as the host names it; "" counts the client's last minute
	most int
}

// maxTurnName is how many bytes the name of a turn may have.
const maxTurnName = 128

// chooseTurns reads the settings. Of the flag and the environment the lower
// limit holds: a model that writes a command line cannot raise what the person
// has set.
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

// caller is what this run knows of who calls.
func (s *Run) caller() tools.Caller {
	client := s.ClientName
	if client == "" {
		client = "command" // all commands of a user are one client
	}
	return tools.Caller{
		Client: client, Turn: s.Options.turns.turn, MaxPerTurn: s.Options.turns.most,
		Tree: s.System.Lineage, Answers: s.System.Getenv("TECHO_ANSWER") == "command",
	}
}
