package calendar

import (
	"strings"
	"testing"

	"techo/internal/columns"
	"techo/tools"
)

// TestWeekLinesAlign checks that all lines of a grid have the same width, and fit in
// the terminal.
func TestWeekLinesAlign(t *testing.T) {
	for _, lang := range []tools.Lang{tools.English, tools.Japanese} {
		st := openStore(t)
		env := envAt(t, st, "Asia/Tokyo", "2026-01-05T00:00:00Z")
		env.Lang = lang
		for i, title := range []string{
			"会議、とても長い題名の予定", "🍣 寿司",
			"👨‍👩‍👧 family day", "ﾊﾝｶｸ ｶﾅ の予定です",
			"ordinary title that is too long", "❤️",
		} {
			if _, err := createEvent(t.Context(), env,
				CreateIn{Title: title, Start: []string{"2026-01-07", "2026-01-08 10:00"}[i%2], Busy: true,
					Status: "confirmed"}); err != nil {
				t.Fatal(err)
			}
		}
		for i, view := range []string{"week", "month", "week", "month"} {
			terminal := []int{0, 0, 80, 50}[i]
			env.Calendars.Columns = func() int { return terminal }
			out, err := listEvents(t.Context(), env, ListIn{Date: "2026-01-07", View: view, Limit: 250})
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(out.Text(env), "\n")[1:]
			for _, l := range lines {
				if terminal > 0 && columns.Width(l) > terminal {
					t.Errorf("%d columns, at most %d:\n%s", columns.Width(l), terminal, l)
				}
				if columns.Width(l) != columns.Width(lines[0]) {
					t.Errorf("%d columns, not %d:\n%s", columns.Width(l), columns.Width(lines[0]),
						strings.Join(lines, "\n"))
				}
			}
		}
	}
}
