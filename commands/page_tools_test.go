package commands

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/tools"
)

// TestPageTogether changes several records in one transaction, which one undo takes back, and nothing
// when one of them cannot be changed.
func TestPageTogether(t *testing.T) {
	w := newWorld(t)
	p := w.page(t)
	headers := p.open()
	call := func(status int, want, tool, input string) string {
		t.Helper()
		return p.Want(status, want, "POST", "/tools/"+tool, input, headers...)
	}
	for _, name := range []string{"a", "b", "c"} {
		w.run("memo", "add", name, "x", "--priority", "1").ok()
	}
	call(404, "Nothing was changed", "change_together",
		`{"tool":"remove_memo","inputs":[{"memo_name":"a"},{"memo_name":"missing"}]}`)
	call(200, `"total":3`, "list_memo", `{}`)
	call(200, `"together":true,"changed":2`, "change_together",
		`{"tool":"remove_memo","inputs":[{"memo_name":"a"},{"memo_name":"b"}]}`)
	call(200, `"total":1`, "list_memo", `{}`)
	call(200, `"tool":"remove_memo","family":"memo","about":`, "list_history", `{"limit":1}`)
	call(200, `"records":2`, "list_history", `{"limit":1}`)
	call(200, `"undone":{`, "undo_change", `{}`)
	call(200, `"total":3`, "list_memo", `{}`)

	var todos []string
	for _, args := range [][]string{{"Pay"}, {"Water", "--due", "2026-11-20", "--repeat", "daily"}, {"Read"}} {
		var out struct {
			Todo struct {
				ID string `json:"todo_id"`
			}
		}
		if err := json.Unmarshal([]byte(w.run(append([]string{"todo", "add"}, args...)...).out), &out); err != nil {
			t.Fatal(err)
		}
		todos = append(todos, `{"todo_id":"`+out.Todo.ID+`"}`)
	}
	before := w.run("todo", "list", "--status", "all").out
	for _, tool := range []string{"complete_todo", "remove_todo"} {
		call(200, `"together":true,"changed":3`, "change_together",
			`{"tool":"`+tool+`","inputs":[`+strings.Join(todos, ",")+`]}`)
		if now := w.run("todo", "list", "--status", "all").out; now == before {
			t.Errorf("%s changed nothing", tool)
		}
		w.run("undo").ok()
		if now := w.run("todo", "list", "--status", "all").out; now != before {
			t.Errorf("undoing %s left\n%s\nnot\n%s", tool, now, before)
		}
	}
	// Nothing else is called so: not what the page offers on its own, nor what it does not.
	for _, tool := range []string{"write_file", "undo_change", "change_together", "set_setting", "missing"} {
		call(400, "invalid_input", "change_together", `{"tool":"`+tool+`","inputs":[{}]}`)
	}
	w.run("call", "change_together", `{"tool":"remove_memo","inputs":[{"memo_name":"a"}]}`).fails(tools.InvalidInput)
}

// TestPageTogetherWithout refuses a tool that is not offered.
func TestPageTogetherWithout(t *testing.T) {
	_, e := togetherTool(&run.Run{}).Invoke(t.Context(), &tools.Env{}, tools.Call{
		Input: []byte(`{"tool":"remove_memo","inputs":[{"memo_name":"a"}]}`)})
	if e == nil || e.Code != tools.Unavailable {
		t.Errorf("%v", e)
	}
}

// TestPageSettings changes the settings that do no harm, in the person's file, and no others.
func TestPageSettings(t *testing.T) {
	w := newWorld(t)
	p := w.page(t)
	headers := p.open()
	call := func(status int, want, tool, input string) {
		t.Helper()
		p.Want(status, want, "POST", "/tools/"+tool, input, headers...)
	}
	file := filepath.Join(w.dir, ".config/techo/config.toml")
	call(200, `{"name":"tz"`, "list_settings", `{}`)
	call(200, `"choices":["en","ja"]`, "list_settings", `{}`)
	call(200, `"value":"10:00-17:00","from":"file"`, "set_setting", `{"name":"working-hours","value":"10:00-17:00"}`)
	call(400, `"path":"/value"`, "set_setting", `{"name":"tz","value":"Nowhere/Land"}`)
	call(200, `"editable":true`, "list_settings", `{}`)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"store", "root", "browser", "serve-purge", "embed-url", "embed-key-command",
		"memory-service-url", "history-days", "enable-memory", "user", "max-bytes", "timeout"} {
		call(403, "techo config set", "set_setting", `{"name":"`+name+`","value":"1"}`)
		call(403, "techo config set", "unset_setting", `{"name":"`+name+`"}`)
	}
	for _, name := range []string{"embed_key_command", "token", "purge", "fields", "lang\nanswer", "", "../x"} {
		document, err := json.Marshal(map[string]string{"name": name, "value": "1"})
		if err != nil {
			t.Fatal(err)
		}
		call(400, "invalid_input", "set_setting", string(document))
	}
	call(400, "", "set_setting", `{"name":"lang","value":"ja","project":true}`)
	call(400, "no tool", "config", `{}`)
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("%v: %s", err, after)
	}
	call(200, `"from":"default"`, "unset_setting", `{"name":"working-hours"}`)
	for _, tool := range []string{"list_settings", "set_setting", "import_memories", "export_memories"} {
		w.run("call", tool, `{}`).fails(tools.InvalidInput) // only the page has them
	}
}

// TestPageFiles imports contents after a dry run, which keeps nothing, and names no file.
func TestPageFiles(t *testing.T) {
	w := newWorld(t)
	w.put("secret.jsonl", `{"full_text":"not for the page"}`)
	p := w.page(t)
	headers := p.open()
	call := func(status int, want, tool, input string) {
		t.Helper()
		p.Want(status, want, "POST", "/tools/"+tool, input, headers...)
	}
	event := `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Walk\r\nDTSTART:20261121T100000Z\r\n` +
		`END:VEVENT\r\nBEGIN:VTODO\r\nUID:2\r\nSUMMARY:Pay\r\nEND:VTODO\r\nEND:VCALENDAR\r\n`
	call(200, `"imported":1,"changed":0,"existing":0`, "import_calendar", `{"content":"`+event+
		`","calendar":"new","dry_run":true}`)
	call(200, `"calendars":[{"name":"default"`, "list_calendars", `{}`)
	call(200, `"total":0`, "list_todos", `{"calendar":"all"}`)
	call(200, `"todos":{"imported":1,`, "import_calendar", `{"content":"`+event+`","calendar":"new"}`)
	call(200, `"existing":1`, "import_calendar", `{"content":"`+event+`","calendar":"new","dry_run":true}`)
	call(200, `SUMMARY:Walk\r\n`, "export_calendar", `{"calendar":"new"}`)
	call(400, "BEGIN:VCALENDAR", "import_calendar", `{"content":"secret.jsonl"}`)
	call(404, "", "export_calendar", `{"calendar":"missing"}`)
	call(200, `"imported":0,"existing":0,"skipped":1`, "import_memories", `{"content":"secret.jsonl"}`)
	call(400, "", "import_memories", `{"content":"x","file":"secret.jsonl"}`)
	call(400, "", "export_memories", `{"to":"secret.jsonl"}`)
	memory := `{"content":"{\"full_text\":\"Max is a dog.\"}\n{bad\n"`
	call(200, `"imported":1,"existing":0,"skipped":1`, "import_memories", memory+`,"dry_run":true}`)
	call(200, `"total":0`, "list_memory", `{}`)
	call(200, `"line":2`, "import_memories", memory+`}`)
	call(200, `"full_text":"Max is a dog."`, "export_memories", `{}`)
	memo := `{"content":"{\"name\":\"tea\",\"content\":\"green\",\"priority\":3}"`
	call(200, `"sample":[{"caption":"tea"`, "import_memos", memo+`,"dry_run":true}`)
	call(200, `"total":0`, "list_memo", `{}`)
	call(200, `"imported":1`, "import_memos", memo+`}`)
	call(200, `"name":"tea"`, "export_memos", `{}`)
}

// TestPageWords checks that the page has words for each tool that may be in the history.
func TestPageWords(t *testing.T) {
	source, err := os.ReadFile("page/static/app/words.js")
	if err != nil {
		t.Fatal(err)
	}
	// Families and commands whose effects are not on records: the history does not have them.
	without := []string{"ask secret", "config", "cal auth", "setup", "login", "logout", "token", "init", "store",
		"doctor", "sync init", "sync join", "sync leave"}
	for _, c := range allCommands() {
		name := cmp.Or(c.Tool.Name, c.Tool.Command)
		known := strings.Contains(string(source), "\n  "+name+": text(") ||
			strings.Contains(string(source), "\n  \""+name+"\": text(")
		unrecorded := slices.ContainsFunc(without, func(prefix string) bool {
			return name == prefix || strings.HasPrefix(name, prefix+" ")
		})
		if c.Tool.Effect != tools.Reads && !known && !unrecorded && !catalogue.Leads(c.Tool) {
			t.Errorf("%s: no words in commands/page/static/app/words.js", name)
		}
	}
}
