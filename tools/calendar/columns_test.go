package calendar

import (
	"strings"
	"testing"

	"techo/tools"
)

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "会議": 4, "ｶﾅ": 2, "が": 2, "か\u3099": 2, "é": 1, "e\u0301": 1, "🍣": 2, "👨‍👩‍👧": 2, "👍🏽": 2, "🇯🇵": 2, "❤️": 2, "✅": 2, "…": 1, "한글": 4, "\u200bx": 1, "１２": 4,
	} {
		if got := columns(text); got != want {
			t.Errorf("%q: %d columns, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "短い", "とても長い題名の予定です", "🍣🍣🍣🍣🍣🍣🍣🍣🍣", "a会b議c室d室e室f", "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧"} {
		for wide := 2; wide < 20; wide++ {
			if got := columns(pad(text, wide)); got != wide {
				t.Errorf("%q in %d columns takes %d", text, wide, got)
			}
		}
	}
}

// TestWeekIsEven wants every line of a week's grid to be as wide as the others.
func TestWeekIsEven(t *testing.T) {
	for _, lang := range []tools.Lang{tools.English, tools.Japanese} {
		st := openStore(t)
		env := envAt(t, st, "Asia/Tokyo", "2026-01-05T00:00:00Z")
		env.Lang = lang
		for i, title := range []string{"会議、とても長い題名の予定", "🍣 寿司", "👨‍👩‍👧 family day", "ﾊﾝｶｸ ｶﾅ の予定です", "ordinary title that is too long", "❤️"} {
			if _, err := createEvent(t.Context(), env, CreateIn{Title: title, Start: []string{"2026-01-07", "2026-01-08 10:00"}[i%2], Busy: true, Status: "confirmed"}); err != nil {
				t.Fatal(err)
			}
		}
		out, err := listEvents(t.Context(), env, ListIn{Date: "2026-01-07", Week: true, Limit: 250})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.Text(env), "\n")[1:]
		for _, l := range lines {
			if columns(l) != columns(lines[0]) {
				t.Errorf("%d columns, not %d:\n%s", columns(l), columns(lines[0]), strings.Join(lines, "\n"))
			}
		}
	}
}
