package run

import (
	"strconv"

	"techo/commands/workspace"
	"techo/store/ledger"
	"techo/tools"
)

// DefaultOf returns the value that a setting has without a flag, a variable and a file, ""
// for none.
func DefaultOf(s *Run, name string) string {
	switch name {
	case "store":
		path, _, err := workspace.Find(s.System, "")
		if err != nil {
			return ""
		}
		return path
	case "lang":
		return string(s.Options.lang)
	case "tz":
		return s.Options.zone.String()
	case "user":
		return s.Options.User
	case "output":
		return "json"
	case "errors-to-stderr", "enable-memory", "memory-tool", "memory-context":
		return "false"
	case "history-days":
		return strconv.Itoa(int(ledger.DefaultHistoryAge.Hours() / 24))
	case "history-bytes":
		return strconv.Itoa(ledger.DefaultHistoryBytes)
	case "working-hours":
		return "09:00-18:00"
	case "event-buffer":
		return "0"
	case "max-per-turn":
		return strconv.Itoa(tools.DefaultMaxPerTurn)
	}
	return ""
}
