package agenda

import (
	"strings"

	"techo/tools"
	"techo/tools/calendar/backend"
)

// Widths in columns: of the grid without a terminal, and of a day.
const (
	gridWidth      = 120
	narrowestDay   = 6
	widestDay      = 24
	daysOfWeek     = 7
	gridSeparators = daysOfWeek + 1
)

// DayWidth returns the width of a day in the grid, in columns.
func DayWidth(env *tools.Env) int {
	width := 0
	if backend.SettingsOf(env).Columns != nil {
		width = backend.SettingsOf(env).Columns()
	}
	if width <= 0 {
		width = gridWidth
	}
	return min(max((width-gridSeparators)/daysOfWeek, narrowestDay), widestDay)
}

// IndentContinuation indents the lines of a text after the first, to keep them in
// their list item.
func IndentContinuation(text string) string {
	return strings.ReplaceAll(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n", "\n  ")
}
