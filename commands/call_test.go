package commands

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestCallInput passes the JSON in every possible way.
func TestCallInput(t *testing.T) {
	w := newWorld(t)
	input := `{"limit":7}`
	want := w.run("call", "list_memo", input) // stdin must not be read
	if want.ok()["limit"] != 7.0 {
		t.Fatal(want.out)
	}
	for _, a := range []answer{
		w.run("call", "list_memo", "--input", input),
		w.run("call", "--input="+input, "--tool=list_memo"),
		w.run("call", "--", "list_memo", input),
		w.feed(input, "call", "list_memo"),
		w.feed("\n "+input+"\r\n", "call", "list_memo"),
		w.feed(input, "call", "list_memo", "-"),
		w.read(io.MultiReader(strings.NewReader(`{"lim`), strings.NewReader(`it":7}`)), "call", "list_memo"),
	} {
		if a.out != want.out || a.code != 0 {
			t.Errorf("%q: %d %s", a.args, a.code, a.out)
		}
	}
	if got := w.feed("", "call", "list_memo").ok()["limit"]; got != 10.0 {
		t.Errorf("empty stdin: limit %v", got)
	}
	w.typing = true
	if got := w.run("call", "list_memo").ok()["limit"]; got != 10.0 {
		t.Errorf("stdin is a terminal: limit %v", got)
	}
	w.run("call", "get_memo").fails("invalid_input", "/memo_name")
	w.typing = false
	w.run("call", "list_memo").fails("invalid_input") // a failing stdin is not an empty one
	w.run("call", "list_memo", "{}", "{}").fails("invalid_input", "")
	w.noStore()
}

// TestCallUnknown calls unknown tools.
func TestCallUnknown(t *testing.T) {
	w := newWorld(t)
	for name, hint := range map[string]string{
		"add_mem": "'add_memo'", "ad_memo": "'add_memo'", "Get_Memo": "'get_memo'", "get-memo": "'get_memo'",
		"memo": "'memo_context'", "memo add": "", "call": "", "zzz": "techo tools", "メモ": "techo tools",
		"-": "techo tools",
	} {
		e := w.run("call", "--input={}", "--tool", name).fails("invalid_input")
		if !strings.Contains(e.Hint, hint) || !strings.Contains(e.Message, name) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	w.run("call").fails("invalid_input", "/tool")
	w.run("call", "--batch", "list_memo").fails("invalid_input")
	w.run("call", "--btach").fails("invalid_input", "/btach")
	w.noStore()
}

// stuck is a pipe that stays open: its pieces arrive after a pause each, and then
// nothing.
type stuck struct {
	pieces []string
	after  time.Duration
	over   <-chan struct{} // closed at the end of the test
}

func (s *stuck) Read(p []byte) (int, error) {
	wait := time.After(s.after)
	if len(s.pieces) == 0 {
		wait = nil
	}
	select {
	case <-wait:
	case <-s.over:
		runtime.Goexit() // the test has ended
	}
	n := copy(p, s.pieces[0])
	s.pieces = s.pieces[1:]
	return n, nil
}

// TestCallSilent checks how long call waits for a silent pipe, with a fake clock.
func TestCallSilent(t *testing.T) {
	for _, test := range []struct {
		name   string
		pieces []string
		after  time.Duration
		code   int
		took   time.Duration
	}{
		{"nothing comes", nil, 0, 2, 5 * time.Second},
		{"it stops in the middle", []string{`{"lim`}, time.Second, 2, 6 * time.Second},
		{"all is there but the end", []string{`{"limit":7}`}, time.Second, 2, 6 * time.Second},
		{"a word comes too late", []string{`{}`}, 6 * time.Second, 2, 5 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				defer close(over)
				start := time.Now()
				a := w.read(&stuck{test.pieces, test.after, over}, "call", "list_memo")
				if e := a.fails("invalid_input"); e.Hint == "" || a.code != test.code {
					t.Errorf("%d %s", a.code, a.out)
				}
				if took := time.Since(start); took != test.took {
					t.Errorf("it took %v, want %v", took, test.took)
				}
			})
			w.noStore()
		})
	}
}

// invalidCalls are invalid inputs and the places of their problems, nil if the place
// depends on the parser.
var invalidCalls = []struct {
	name, tool, input string
	paths             []string
}{
	{
		"all at once", "add_memo", `{"nmae":"x","content":"","priority":9,"tags":["a","",[]],"detail":[],"a/b~c":1}`,
		[]string{"/nmae", "/content", "/priority", "/tags/1", "/tags/2", "/detail", "/a~1b~0c", "/name"},
	},
	{"nothing", "add_memo", `{}`, []string{"/name", "/content"}},
	{"a name twice", "add_memo", `{"name":"a","name":"b","content":"c","priority":3}`, []string{"/name"}},
	{"a name twice, with an escape", "add_memo", `{"name":"a","n\u0061me":"a","content":"c","priority":3}`,
		[]string{"/name"}},
	{"a name without letters", "list_memo", `{"":1}`, []string{"/"}},
	{"a name in capitals", "list_memo", `{"Limit":1}`, []string{"/Limit"}},
	{"a text for a number", "list_memo", `{"limit":"5px"}`, []string{"/limit"}},
	{"an object for a text", "get_memo", `{"memo_name":{}}`, []string{"/memo_name"}},
	{"a text for a list", "add_memo", `{"name":"a","content":"c","priority":3,"tags":"x, y"}`, []string{"/tags"}},
	{"a truth for a number", "list_memo", `{"limit":true}`, []string{"/limit"}},
	{"null for what is needed", "get_memo", `{"memo_name":null}`, []string{"/memo_name"}},
	{"null in a list", "add_memo", `{"name":"a","content":"c","priority":3,"tags":[null]}`, []string{"/tags/0"}},
	{"value of an enum", "memo_context", `{"for":"respons"}`, []string{"/for"}},
	{"as deep as may be", "get_memo", nestedArrays(64), []string{"/content", "/memo_name"}},
	{"a list", "list_memo", `[]`, []string{""}},
	{"a number", "list_memo", `5`, []string{""}},
	{"null", "list_memo", `null`, []string{""}},
	{"no JSON in a text", "list_memo", `"{"`, []string{""}},
	{"a second document", "list_memo", `{} {}`, []string{""}},
	{"garbage behind", "list_memo", `{}x`, []string{""}},
	{"a comma behind", "list_memo", `{},`, []string{""}},
	{"a comma too many", "list_memo", `{"limit":1,}`, nil},
	{"cut off", "list_memo", `{"limit":1`, nil},
	{"an open text", "get_memo", `{"memo_name":"a`, nil},
	{"another quote", "get_memo", `{'memo_name':'a'}`, nil},
	{"a comment", "list_memo", `{/* */}`, nil},
	{"no number", "list_memo", `{"limit":05}`, nil},
	{"NaN", "list_memo", `{"limit":NaN}`, nil},
	{"a raw newline in a text", "get_memo", "{\"memo_name\":\"a\nb\"}", nil},
	{"too deep", "get_memo", nestedArrays(65), nil},
	{"much too deep", "get_memo", strings.Repeat("[", 1<<20), nil},
}

// nestedArrays returns an input with a value of n nested arrays, including the
// input itself.
func nestedArrays(n int) string {
	return `{"content":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
}

// TestCallProblems checks that all problems of an input are reported at once, with
// their places.
func TestCallProblems(t *testing.T) {
	w := newWorld(t)
	for _, test := range invalidCalls {
		t.Run(test.name, func(t *testing.T) {
			a := w.run("call", test.tool, test.input)
			var f failure
			if err := json.Unmarshal([]byte(a.out), &f); err != nil || len(f.Error.Details) == 0 {
				t.Fatalf("%v: %s", err, a.out)
			}
			if test.paths == nil {
				test.paths = []string{f.Error.Details[0].Path}
			}
			if e := a.fails("invalid_input", test.paths...); e.Tool != test.tool || e.Hint == "" {
				t.Errorf("tool %q, hint %q", e.Tool, e.Hint)
			}
			if b := w.feed(test.input, "call", test.tool); b.out != a.out || b.code != a.code {
				t.Errorf("on stdin: %s", b.out)
			}
		})
	}
	w.noStore()
}

// TestCallNumbers checks that integers are exact in all notations.
func TestCallNumbers(t *testing.T) {
	w := newWorld(t)
	for text, want := range map[string]string{
		"9007199254740991": "9007199254740991", "9007199254740992": "", "9223372036854775807": "",
		"9007199254740991.000": "9007199254740991",
		"5.0":                  "5", "1e1": "10", "1E+2": "100", "500e-2": "5", "0.5e1": "5", "-0": "0", "0.0": "0",
		"12e00000000001": "120",
		"5.5":            "", "1e-1": "", "1e400": "", "-1e400": "", "1e999999999": "", "1e-999999999": "",
		"1E99999999999999999999": "",
		"9223372036854775808":    "", "1e19": "", "-1": "", "123456789012345678901234567890": "",
	} {
		a := w.run("call", "list_memo", `{"offset":`+text+`}`)
		if want == "" {
			a.fails("invalid_input", "/offset")
			continue
		}
		if a.ok(); !strings.Contains(a.out, `"offset":`+want+`,`) {
			t.Errorf("%s: %s", text, a.out)
		}
	}
}

// TestCallNull checks that null stands for a missing optional field.
func TestCallNull(t *testing.T) {
	w := newWorld(t)
	w.run("call", "add_memo", `{"name":"x","content":"y","priority":4,"tags":null,"detail":null}`).ok()
	w.run("memo", "edit", "x", "--tag=a", "--detail=d").ok()
	a := w.run("call", "edit_memo",
		`{"memo_name":"x","content":null,"priority":5,"tags":null,"detail":null,"new_name":null}`)
	memo := a.ok()["memo"].(map[string]any)
	if memo["content"] != "y" || memo["detail"] != "d" || fmt.Sprint(memo["tags"]) != "[a]" || memo["priority"] != 5.0 {
		t.Errorf("%v", memo)
	}
	w.run("call", "list_memo", `{"tag":null,"offset":null,"limit":null}`).ok()
	w.run("call", "memo_context", `{"for":null,"max_chars":null}`).ok()
}

// TestFields selects fields of a result.
func TestFields(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "x", "y", "--priority=3", "--tag=t", "--detail=d", "--fields=memo.name").ok()
	for fields, want := range map[string]string{
		"total":                       `{"total":1}`,
		"message,total":               `{"total":1,"message":"`, // in the result's order
		" total , offset":             `{"total":1,"offset":0}`,
		"memos.name":                  `{"memos":[{"name":"x"}]}`,
		"memos.tags,memos.name":       `{"memos":[{"name":"x","tags":["t"]}]}`,
		"memos.name,memos":            `{"memos":[{"id":`,
		"memos,memos.name":            `{"memos":[{"id":`,
		"total,total":                 `{"total":1}`,
		"memos.has_detail,limit":      `{"memos":[{"has_detail":true}],"limit":10}`,
		"memos.name,total,memos.name": `{"memos":[{"name":"x"}],"total":1}`,
	} {
		a := w.run("memo", "list", "--fields", fields)
		if a.ok(); !strings.HasPrefix(a.out, want) {
			t.Errorf("%q: %s, want %s", fields, a.out, want)
		}
		if b := w.feed("", "call", "list_memo", "--fields="+fields); b.out != a.out {
			t.Errorf("%q: call gives %s", fields, b.out)
		}
	}
	e := w.run("memo", "list", "--fields=totl,memos.nmae,nothing.at.all", "--limit=x").
		fails("invalid_input", "/limit", "/fields", "/fields", "/fields")
	for i, want := range []string{"'total'", "'name'", "memos, total"} {
		if !strings.Contains(e.Details[i+1].Hint, want) {
			t.Errorf("hint %q, want %s in it", e.Details[i+1].Hint, want)
		}
	}
	w.run("memo", "list", "--fields=total,").fails("invalid_input", "/fields")
	w.run("memo", "list", "--fields=message.text").fails("invalid_input", "/fields")
	w.run("memo", "list", "--fields=memos.tags.x").fails("invalid_input", "/fields")
	w.run("memo", "add", "z", "y", "--priority=3", "--fields=nope").fails("invalid_input", "/fields")
	w.run("memo", "get", "z", "--fields=memo.name").fails("not_found") // nothing was added, and the error is complete
}

// TestIdempotency repeats calls with a key.
func TestIdempotency(t *testing.T) {
	w := newWorld(t)
	input := `{"name":"x","content":"y","priority":3}`
	key := func(name string, args ...string) answer {
		return w.run(append([]string{"call", "--idempotency-key", name}, args...)...)
	}
	w.env["TECHO_NOW"] = "2026-12-10T00:00:00Z"
	want := key("k", "add_memo", input)
	want.ok()
	w.env["TECHO_NOW"] = "2027-01-01T00:00:00Z"
	w.run("memo", "edit", "x", "--content=other").ok()
	for _, a := range []answer{
		key("k", "add_memo", input),
		key("k", "add_memo", ` { "name" : "\u0078", "content":"y", "priority":3.0, "detail":null } `),
		w.run("memo", "add", "--name=x", "--content=y", "--priority=3", "--idempotency-key=k"),
		w.run("memo", "add", "x", "y", "--priority=3", "--idempotency-key=k"),
	} {
		if a.out != want.out || a.code != 0 {
			t.Errorf("%q: again: %d %s", a.args, a.code, a.out)
		}
	}
	if a := key("k", "add_memo", input, "--fields=memo.content"); a.out != `{"memo":{"content":"y"}}`+"\n" {
		t.Errorf("again with fields: %s", a.out)
	}
	key("k", "add_memo", `{"name":"x","content":"z","priority":3}`).fails("conflict")
	key("k", "add_memo", `{"name":"x2","content":"y","priority":3}`).fails("conflict")
	w.run("memo", "get", "x2").fails("not_found")

	// A failed call is not remembered.
	key("k2", "add_memo", input).fails("already_exists")
	w.run("memo", "remove", "x").ok()
	key("k2", "add_memo", input).ok()

	for _, tool := range []string{"list_memo", "get_memo", "edit_memo", "remove_memo", "memo_context"} {
		name := `{}`
		if tool != "list_memo" && tool != "memo_context" {
			name = `{"memo_name":"x"}`
		}
		key("k3", tool, name).fails("invalid_input", "/idempotency-key")
	}
	w.run("memo", "get", "x").ok() // it was not removed
	key("", "add_memo", input).fails("invalid_input", "/idempotency-key")
	key("\xff", "add_memo", input).fails("invalid_input", "/idempotency-key")
	key(strings.Repeat("k", 201), "add_memo", input).fails("invalid_input", "/idempotency-key")
	key("鍵 --\n", "add_memo", `{"name":"z","content":"y","priority":3}`).ok()
}

// TestTimeout checks valid and invalid timeouts.
func TestTimeout(t *testing.T) {
	w := newWorld(t)
	for _, text := range []string{"", "soon", "0", "0s", "-1", "-5s", "1h30", "5 x", "NaN", "1e300", "s"} {
		for _, args := range [][]string{{"memo", "list", "--timeout", text},
			{"call", "list_memo", "{}", "--timeout=" + text}} {
			if e := w.run(args...).fails("invalid_input", "/timeout"); !strings.HasPrefix(e.Message,
				"timeout must be") {
				t.Errorf("message %q", e.Message)
			}
		}
	}
	for _, text := range []string{"30", "30s", "2m", "1h30m", "2.5", "0.5m", "100000"} {
		w.run("memo", "list", "--timeout", text).ok()
	}
	w.env["TECHO_TIMEOUT"] = "soon"
	w.run("memo", "list").fails("invalid_input", "/timeout")
	w.run("memo", "list", "--timeout=5").ok()
	w.env["TECHO_TIMEOUT"] = ""
	if e := w.run("memo", "add", "x", "y", "--priority=3", "--timeout=1ns").fails("timeout"); !e.Retryable {
		t.Error("a timeout may be tried again")
	}
	w.run("memo", "get", "x").fails("not_found")
}
