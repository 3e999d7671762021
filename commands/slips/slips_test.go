package slips

import (
	"slices"
	"strings"
	"testing"
)

// TestLine checks rows, signs, verbs and corrections of corrections.
func TestLine(t *testing.T) {
	commands := []string{"todo add", "todo list", "todo done", "todo remove", "memo list", "memo add", "memory search",
		"memory add", "cal update", "cal list", "undo", "page"}
	has := func(line []string) bool {
		return len(line) > 0 && (slices.Contains(commands, line[0]) ||
			len(line) > 1 && slices.Contains(commands, line[0]+" "+line[1]))
	}
	verbs := func(family string) (found []string) {
		for _, c := range commands {
			if of, verb, ok := strings.Cut(c, " "); ok && of == family {
				found = append(found, verb)
			}
		}
		return found
	}
	for typed, want := range map[string]string{
		"tasks": "todo list", "tasks new|buy milk": "todo add|buy milk", "Todo rm x -o text": "",
		"todo rm x -o text": "todo remove x -o text", "tasks frob": "", "todo frob": "", "": "",
		"memo search likes ramen -o text": "memo list --query|likes ramen|-o text", "memo search": "",
		"search what|now": "memory search|what now", "search": "memory search TEXT",
		"cal reschedule 4x tomorrow noon": "cal update 4x --start|tomorrow noon", "redo": "undo",
		"タスク 一覧": "todo list", "done": "todo list --status done", "done 4x": "todo done 4x",
		"ui --port 1": "page --port 1",
	} {
		fields := func(text string) (line []string) {
			for i, part := range strings.Split(text, "|") {
				switch {
				case i > 0 && !strings.HasPrefix(part, "-"):
					line = append(line, part)
				default:
					line = append(line, strings.Fields(part)...)
				}
			}
			return line
		}
		if got := Line(fields(typed), has, verbs); !slices.Equal(got, fields(want)) {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

// TestRows checks the table: a right side has the words for the signs on its left, and no two rows have the same left
// side.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows("") {
		open := r.left[len(r.left)-1]
		for _, sign := range []string{rest, text} {
			if slices.Contains(r.right, sign) && open != sign {
				t.Errorf("%q: nothing for %s", r, sign)
			}
		}
		count := func(line []string) (n int) {
			for _, w := range line {
				if w == one || w == address {
					n++
				}
			}
			return n
		}
		if count(r.left) != count(r.right) {
			t.Errorf("%q: the numbers of _ differ", r)
		}
		for _, first := range strings.Split(r.left[0], "|") {
			left := first + " " + strings.Join(r.left[1:], " ")
			if seen[left] {
				t.Errorf("twice: %q", left)
			}
			seen[left] = true
		}
	}
}
