package lineedit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// resize changes the size of the terminal. One that reflows breaks its rows anew, others
// cut them. Rows at the top scroll off.
func (t *terminal) resize(size Size, reflows bool) {
	next := newTerminal(Size{size.Columns, 300}, t.ambiguous)
	cursorX, cursorY := 0, 0
	for y, row := range t.cells {
		if !reflows {
			row = cut(row, size.Columns)
		}
		end := used(row)
		for x, cell := range row[:end] {
			next.write(cell)
			if y == t.y && x == t.x {
				cursorX, cursorY = next.x-1, next.y
				if x+1 < end && row[x+1] == "" && !next.full {
					cursorX-- // a wide character
				}
			}
		}
		if y == t.y && t.x >= end { // the cursor is after the text
			cursorX, cursorY = next.x+t.x-end, next.y
		}
		if !reflows || !t.wrapped[y] {
			next.write("\n")
		}
	}
	off := max(0, cursorY-size.Rows+1)
	if reflows {
		off = max(0, next.y-size.Rows) // as tmux, which keeps blank rows below
	}
	next.cells, next.wrapped = next.cells[off:off+size.Rows], next.wrapped[off:off+size.Rows]
	next.x, next.y = min(max(cursorX, 0), size.Columns-1), max(cursorY-off, 0)
	next.Size, next.full, next.unknown = size, false, t.unknown
	*t = *next
}

// used returns how many columns of a row have text.
func used(row []string) int {
	end := len(row)
	for end > 0 && row[end-1] == " " {
		end--
	}
	return end
}

func cut(row []string, columns int) []string {
	if columns >= len(row) {
		return row
	}
	if row[columns] == "" {
		columns-- // half a character
	}
	return row[:columns]
}

// TestResize resizes terminals of both kinds while a line is typed: the screen has one
// copy of it, and the question above stays unless it scrolls off.
func TestResize(t *testing.T) {
	pieces := []string{"a", "い", "東京", "日本語の長い文を入力する", "0123456789", " ",
		"\x7f", "\x1b[D", "\x1b[C", "\x1b[H", "\x1b[F"}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		reflows := seed%2 == 0
		s := &session{at: newTerminal(Size{60, 24}, 1), screen: Screen{Reflows: reflows}}
		s.at.write("Q\nU\nE\nS\nT\n")
		s.draw()
		log := fmt.Sprintf("%d, reflows %v:", seed, reflows)
		for range 12 {
			s.types(pieces[r.IntN(len(pieces))] + pieces[r.IntN(len(pieces))])
			if r.IntN(3) > 0 {
				continue
			}
			size := Size{10 + r.IntN(60), 20 + r.IntN(10)}
			log += fmt.Sprintf(" %q %v", s.line.Text, size)
			s.at.resize(size, reflows)
			s.draw()
			s.check(t, log)
			text := strings.Join(s.at.lines(), "\n")
			shown := strings.ReplaceAll(text, "\n", "")
			if strings.Count(shown, "Ctrl-D") != 1 || strings.Count(shown, "選") > 1 || strings.Count(shown, ")") > 1 {
				t.Fatalf("%s shows\n%s", log, text)
			}
			if at := strings.Index(text, "選"); at > 0 && !strings.HasSuffix("Q\nU\nE\nS\nT\n", text[:at]) {
				t.Fatalf("%s: the question is\n%s", log, text)
			}
		}
	}
}
