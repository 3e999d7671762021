package ask

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"techo/internal/lineedit"
	"techo/store/question"
	"techo/tools"
)

func newForm(q question.Question) form {
	return form{reader: newReader(q), env: &tools.Env{Lang: tools.English, Zone: time.UTC}}
}

// TestFormStep follows the arrow keys: from nothing to the first or last option,
// then to the neighbours among the options that match.
func TestFormStep(t *testing.T) {
	one := newForm(question.Question{Options: []string{"red", "blue", "2", "dark red", "green"}})
	several := newForm(question.Question{Options: []string{"a", "b", "c", "d"}, Multiple: true})
	for _, c := range []struct {
		form  form
		typed string
		steps []int
		want  string
	}{
		{one, "", []int{1}, "1"},
		{one, "", []int{-1}, "5"},
		{one, "", []int{1, 1, 1, -1}, "2"},
		{one, "", []int{1, -1}, "1"},
		{one, "", []int{10, 10}, "5"},
		{one, "3", []int{1}, "4"},
		{one, "RED", []int{1}, "4"},
		{one, "dark", []int{1}, "4"},
		{one, "zzz", []int{1}, "1"},
		{several, "1 ", []int{1}, "1 2"},
		{several, "1 ", []int{1, 1}, "1 3"},
		{several, "2,", []int{1}, "2,1"},
		{several, "1-3, ", []int{-1}, "1-3, 4"},
		{several, "other words", []int{1}, "1"},
	} {
		text := c.typed
		for _, by := range c.steps {
			text = c.form.step(c.typed, text, by)
		}
		if text != c.want {
			t.Errorf("%q %v: %q, want %q", c.typed, c.steps, text, c.want)
		}
	}
}

// TestFormStatus says what Enter does, in rows that fit.
func TestFormStatus(t *testing.T) {
	q := question.Question{ID: "q1", Options: []string{"Yes", "No"}, Default: "No", Closed: true,
		ExpiresAt: time.Date(2026, 1, 2, 15, 4, 0, 0, time.UTC)}
	closed := newForm(q)
	q.Closed, q.Multiple, q.ExpiresAt = false, true, time.Time{}
	several := newForm(q)
	watched := newForm(question.Question{})
	watched.watch = true
	for _, c := range []struct {
		form form
		text string
		want string
	}{
		{closed, "", "Pick with the arrow keys, a number or a text. Only an option is accepted. Enter answers; " +
			"Ctrl-D declines. Without an answer by 2026-01-02 15:04, the default counts: No"},
		{closed, "y", "Enter answers: 1. Yes"},
		{closed, "3", "Enter a number from 1 to 2"},
		{closed, "perhaps", "Enter a number from 1 to 2"},
		{several, "", "Pick with the arrow keys, numbers such as 1 3 or 1-3, or texts. Other words are an answer " +
			"too. Enter answers; Ctrl-D declines. The default counts only if the question expires: No"},
		{several, "2 1", "Enter answers: 2. No, 1. Yes"},
		{several, "perhaps", "Enter answers in your own words; no option is picked."},
		{watched, "", "Enter answers, or leaves an empty line for later; Ctrl-D ends."},
		{watched, "x", "Enter answers; Ctrl-U deletes the line."},
		{newForm(question.Question{Secret: true}), "", "What you type is not shown. Enter answers; Ctrl-D declines."},
		{newForm(question.Question{Options: []string{"a"}}), "2", "There is one option; enter 1"},
		{newForm(question.Question{Options: []string{"a", "A"}}), "Ａ",
			"Several options have that text; enter the number"},
	} {
		if got := c.form.status(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestFormWindow shows what Enter would pick in the window of a long list, on
// terminals of every size.
func TestFormWindow(t *testing.T) {
	var options []string
	for i := range 1000 {
		options = append(options, fmt.Sprintf("option %d\nof 1000 …", i+1))
	}
	f := newForm(question.Question{Options: options})
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		typed := []string{"", "option 7", "ption 99", "nothing", "12"}[r.IntN(5)]
		text := typed
		for range r.IntN(20) {
			text = f.step(typed, text, []int{1, -1, 10, -10}[r.IntN(4)])
		}
		size := lineedit.Size{Columns: 20 + r.IntN(60), Rows: 3 + r.IntN(22)}
		rows := f.below(typed, text, size.RowColumns(), size.RowsBelow())
		if len(rows) > size.RowsBelow() && size.RowsBelow() > 2 {
			t.Fatalf("%v %q: %d rows\n%s", size, text, len(rows), strings.Join(rows, "\n"))
		}
		for _, row := range rows {
			if lineedit.Fit(row, size.RowColumns()) != row {
				t.Fatalf("%v: %q is too wide", size, row)
			}
		}
		a, v := f.read(text)
		if v != isAnswer || len(a.Indexes) == 0 || size.RowsBelow() < 3 {
			continue
		}
		if mark := fmt.Sprintf("> %d. ", a.Indexes[0]); !strings.Contains(strings.Join(rows, "\n"), mark) {
			t.Fatalf("%v %q of %q: no %q in\n%s", size, text, typed, mark, strings.Join(rows, "\n"))
		}
	}
}
