package calendar

import (
	"strings"
	"testing"

	"techo/internal/columns"
	"techo/tools"
)

// TestWeekLinesAlign checks that all lines of a grid have the same width.
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
		for _, view := range []string{"week", "month"} {
			out, err := listEvents(t.Context(), env, ListIn{Date: "2026-01-07", View: view, Limit: 250})
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(out.Text(env), "\n")[1:]
			for _, l := range lines {
				if columns.Width(l) != columns.Width(lines[0]) {
					t.Errorf("%d columns, not %d:\n%s", columns.Width(l), columns.Width(lines[0]),
						strings.Join(lines, "\n"))
				}
			}
		}
	}
}
