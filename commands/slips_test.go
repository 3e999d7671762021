package commands

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// slipsTyped are lines as newcomers type them, with what the hint has.
const slipsTyped = `
memo add x hello world --priority 3 => techo memo add x 'hello world' --priority 3
memory add -o json I like it => techo memory add -o json 'I like it'
todo add Buy milk => techo todo add 'Buy milk'
todo add Buy milk tomorrow 17:00 => techo todo add 'Buy milk' --due 'tomorrow 17:00'
todo add 牛乳を買う 明日 => techo todo add '牛乳を買う' --due '明日'
cal create Team lunch tomorrow 12:00 => techo cal create 'Team lunch' 'tomorrow 12:00'
cal create Team lunch some day => techo cal create "TITLE" "START"
cal list next friday => techo cal list 'next friday'
cal create Lunch => techo cal create Lunch START
memo add ramen -o json => techo memo add ramen CONTENT --priority PRIORITY -o json
ask => techo ask QUESTION
todo done => techo todo list --status done
config get => techo config get NAME
ls => techo fs list
ls docs => techo fs list docs
today => techo cal list today
今日 => techo cal list today
week => techo cal list --view week
cal week => techo cal list --view week
cal today => techo cal list today
cal show tomorrow => techo cal list tomorrow
cal check tomorrow => techo cal check day tomorrow
cal free friday => techo cal check day friday
cal busy => techo cal suggest --date-from today --date-to +7d --duration-minutes 60
cal next => techo cal list --date-from today --date-to +7d
cal new Lunch 12:00 => techo cal create Lunch '12:00'
cal cancel 4x => techo cal delete 4x
cal find Lunch at noon => techo cal list --query 'Lunch at noon'
cal reschedule 4x tomorrow 10:00 => techo cal update 4x --start 'tomorrow 10:00'
calendar => techo cal list
events => techo cal list
予定 => techo cal list
予定 追加 昼食 明日 => techo cal create '昼食' '明日'
todo list --done => --status done
todo list --all => --status all
todo list today => techo todo list --due-by today
todo overdue => techo todo list --overdue
todo finish 4x => techo todo done 4x
todo rm 4x => techo todo remove 4x
todo reopen 4x => techo todo edit 4x --status needs-action
todo new x => techo todo add x
todo ls => techo todo list
tasks => techo todo list
task add x => techo todo add x
タスク 一覧 => techo todo list
memo list --json => -o json
memory list --text => -o text
memo edit x --text y => content
memo search ramen => techo memo list --query ramen
memo find likes ramen => techo memo list --query 'likes ramen'
memo rm x => techo memo remove x
メモ 削除 x => techo memo remove x
notes => techo memo list
memory remember x => techo memory add x
memory recall what he eats => techo memory search 'what he eats'
remember that he eats => techo memory add 'that he eats'
search what he eats => techo memory search 'what he eats'
検索 好きなもの => techo memory search '好きなもの'
remind me to call tomorrow => techo add 'to call tomorrow'
lunch tomorrow 12:00 => techo add 'lunch tomorrow 12:00'
cal create x --when tomorrow => 'start'
cal create x tomorrow --duration 1h => end
todo add x --by friday => 'due'
todo add x --notes y => description
history --last 3 => 'limit'
doctor --fix => repair
history --family todo => --family calendar
history --family notes => --family memo
history todo => techo history --family calendar
log => techo history
undo last => techo undo
redo => techo undo
config show => techo config list
config set lang=ja => techo config set lang ja
config lang ja => techo config set lang ja
config set language ja => techo config set lang ja
settings => techo config list
設定 => techo config list
cat a.md => techo fs read a.md
fs grep x => techo grep x
fs find x => techo fs glob x
fetch https://example.com => techo web fetch 'https://example.com'
web https://example.com => techo web fetch 'https://example.com'
token create bob => techo token add --user bob
answer 1 yes => techo ask answer 1 yes
questions => techo ask list
status => techo store info
ui => techo page
tutorial => techo demo
import notes.md => techo import memos notes.md`

// TestSlips checks that lines as people type them get the line that they mean, in both languages.
func TestSlips(t *testing.T) {
	w := newWorld(t)
	hint := func(line string) string {
		var f failure
		a := w.run(strings.Split(line, " ")...)
		if err := json.Unmarshal([]byte(a.out), &f); err != nil || a.code != 2 && a.code != 3 {
			t.Errorf("%s: %d, %v", line, a.code, err)
		}
		return f.Error.Hint
	}
	for i, row := range strings.Split(strings.TrimSpace(slipsTyped), "\n") {
		line, want, _ := strings.Cut(row, " => ")
		if w.env["TECHO_LANG"] = "en"; i%2 == 1 {
			w.env["TECHO_LANG"] = "ja"
		}
		w.terminal = strings.Contains(want, "create Lunch START") || strings.Contains(want, "NAME") ||
			strings.Contains(want, "CONTENT") || strings.Contains(want, "QUESTION") || strings.Contains(line, "=")
		if got := hint(line); !strings.Contains(got, want) {
			t.Errorf("%s: hint %q, want %q", line, got, want)
		}
	}
}

// TestTitles checks that a title in place of an id gets the line with the id.
func TestTitles(t *testing.T) {
	w := newWorld(t)
	id := func(field, name string, args ...string) string {
		return w.run(args...).ok()[field].(map[string]any)[name].(string)
	}
	milk := id("todo", "todo_id", "todo", "add", "Buy milk")
	lunch := id("event", "event_id", "cal", "create", "昼食", "tomorrow 12:00")
	fact := id("memory", "id", "memory", "add", "The wifi password is on the fridge")
	id("todo", "todo_id", "todo", "add", "Call the bank")
	id("todo", "todo_id", "todo", "add", "Call the dentist")
	for _, c := range []struct{ line, want string }{
		{"todo done|buy milk", "techo todo done " + milk}, {"todo remove|milk", "techo todo remove " + milk},
		{"todo edit|Buy milk|--due|friday", "techo todo edit " + milk + " --due friday"},
		{"cal delete|昼食", "techo cal delete " + lunch}, {"cal get|昼食", "techo cal get " + lunch},
		{"memory get|wifi password", "techo memory get " + fact}, {"todo done|call", "(Call the dentist)"},
		{"todo done|nothing", "techo todo list"},
	} {
		args := strings.Split(c.line, "|")
		var f failure
		a := w.run(slices.Concat(strings.Split(args[0], " "), args[1:])...)
		err := json.Unmarshal([]byte(a.out), &f)
		if err != nil || a.code != 3 || !strings.Contains(f.Error.Hint, c.want) {
			t.Errorf("%s: %d, hint %q, want %q", c.line, a.code, f.Error.Hint, c.want)
		}
	}
}
