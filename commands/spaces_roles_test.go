package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/internal/mcptest"
)

type spaceInput struct {
	fields string
	writes bool // the tool writes
}

// spaceInputs returns an input for each tool that uses shared spaces. ids are of records in
// the space.
func spaceInputs(ids map[string]string) map[string]spaceInput {
	memory, event, todo := ids["memory"], ids["event"], ids["todo"]
	return map[string]spaceInput{
		"list_memo": {`"query":"content"`, false}, "get_memo": {`"memo_name":"kept"`, false},
		"list_memo_tags": {``, false}, "memo_context": {``, false},
		"add_memo":  {`"name":"NEW","content":"x","priority":1`, true},
		"edit_memo": {`"memo_name":"kept","content":"NEW"`, true}, "remove_memo": {`"memo_name":"gone"`, true},
		"rename_memo_tag": {`"tag":"tag","new_tag":"other"`, true},
		"move_memo":       {`"memo_name":"kept","to_space":"own"`, true},

		"list_memory": {``, false}, "get_memory": {`"id":"` + memory + `"`, false},
		"search_memory": {`"query":"content"`, false}, "memory_context": {`"message":"content"`, false},
		"memory_timeline":    {`"id":"` + memory + `"`, false},
		"investigate_memory": {`"memory_ids":["` + memory + `"]`, false},
		"add_memory":         {`"full_text":"NEW"`, true},
		"edit_memory":        {`"id":"` + memory + `","caption":"NEW"`, true},
		"confirm_memory":     {`"ids":["mem_none"]`, true},
		"reindex_memories":   {``, true},
		"check_memory":       {``, false},
		"review_memories":    {``, false},
		"merge_memories":     {`"ids":["mem_none","mem_nine"]`, true},
		"remove_memory":      {`"ids":["mem_none"]`, true},
		"supersede_memory":   {`"memory_id":"` + memory + `","full_text":"NEW"`, true},
		"move_memory":        {`"id":"mem_none","to_space":"own"`, true},

		"list_events": {`"date":"2024-01-22"`, false}, "get_event": {`"event_id":"` + event + `"`, false},
		"list_calendars":     {``, false},
		"check_availability": {`"check_type":"day","date":"2024-01-22"`, false},
		"suggest_schedule":   {`"date_from":"2024-01-22","date_to":"2024-01-22","duration_minutes":60`, false},
		"create_event":       {`"title":"NEW","start":"2024-01-23 10:00"`, true},
		"update_event":       {`"event_id":"` + event + `","title":"NEW"`, true},
		"move_event":         {`"event_id":"` + event + `","to_space":"own"`, true},
		"delete_event":       {`"event_id":"none"`, true},

		"list_todos": {``, false}, "get_todo": {`"todo_id":"` + todo + `"`, false},
		"add_todo": {`"title":"NEW"`, true}, "edit_todo": {`"todo_id":"` + todo + `","title":"NEW"`, true},
		"move_todo":     {`"todo_id":"` + todo + `","to_space":"own"`, true},
		"complete_todo": {`"todo_id":"` + todo + `"`, true}, "remove_todo": {`"todo_id":"` + todo + `"`, true},

		"list_history": {``, false}, "show_change": {`"id":"` + ids["change"] + `"`, false},
		"undo_change": {`"id":"` + ids["change"] + `"`, true},
	}
}

// fillSpace adds a record of each kind to the space team, and returns their ids.
func fillSpace(w *world) map[string]string {
	run := func(args ...string) map[string]any {
		return w.run(append(args, "--space", "team", "--user", "alice")...).ok()
	}
	id := func(document map[string]any, record, id string) string {
		return document[record].(map[string]any)[id].(string)
	}
	run("memo", "add", "kept", "content", "--priority", "5", "--tag", "tag")
	run("memo", "add", "gone", "content", "--priority", "5")
	ids := map[string]string{
		"memory": id(run("memory", "add", "The content of the space"), "memory", "id"),
		"event":  id(run("cal", "create", "content", "2024-01-22 10:00"), "event", "event_id"),
		"todo":   id(run("todo", "add", "content"), "todo", "todo_id"),
	}
	ids["change"] = run("history")["changes"].([]any)[0].(map[string]any)["id"].(string)
	return ids
}

func toolsOfSpaces(t *testing.T, s *served, token string) (names []string) {
	t.Helper()
	var all struct {
		Tools []struct {
			Name        string
			InputSchema struct{ Properties map[string]any }
		}
	}
	query := "/tools?format=mcp"
	for range 2 { // a list is without the field; a tool that is named has it
		if err := json.Unmarshal([]byte(s.Want(200, "", "GET", query, "", token)), &all); err != nil {
			t.Fatal(err)
		}
		for _, tool := range all.Tools {
			query += "&names=" + tool.Name
		}
	}
	for _, tool := range all.Tools {
		if _, ok := tool.InputSchema.Properties["space"]; ok && !strings.Contains(tool.Name, "_space") {
			names = append(names, tool.Name)
		}
	}
	return names
}

// TestSpaceRolesOfTools calls each tool that uses shared spaces as users with each role,
// through the command line, HTTP and MCP. A role that is too low is refused, and the records
// stay as they are. A user who was removed is refused by the next call.
func TestSpaceRolesOfTools(t *testing.T) {
	w := newWorld(t)
	w.env["TECHO_MEMORY"], w.env["TECHO_MEMORY_CONTEXT"], w.env["TECHO_MAX_PER_TURN"] = "1", "1", "1000"
	w.run("space", "create", "team", "--user", "alice").ok()
	inputs := spaceInputs(fillSpace(w))
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--audience", "person")
	w.run("space", "grant", "team", "reader", "read", "--user", "alice").ok()
	w.run("space", "grant", "team", "former", "admin", "--user", "alice").ok()
	callers := map[string]*spaceCaller{}
	for _, user := range []string{"stranger", "former", "reader"} {
		token := w.personsToken(user)
		callers[user] = &spaceCaller{t, w, s, user, bearer(token), connectHTTP(t, s.Base+"/mcp", "2025-06-18", token)}
	}
	callers["former"].want("list_memo", `{"space":"team"}`, "")
	w.run("space", "revoke", "team", "former", "--user", "alice").ok()
	names := toolsOfSpaces(t, s, bearer(w.personsToken("alice")))
	for _, name := range names {
		in := inputs[name]
		input := strings.Replace(`{"space":"team",`+in.fields+"}", ",}", "}", 1)
		callers["stranger"].want(name, input, "not_found")
		callers["former"].want(name, input, "not_found")
		callers["reader"].want(name, input, map[bool]string{true: "forbidden"}[in.writes])
	}
	if len(names) != len(inputs) {
		t.Errorf("%d tools use spaces, %d are known here: %v", len(names), len(inputs), names)
	}
	for _, command := range []string{"memo list", "memory list", "cal list 2024-01-22", "todo list"} {
		args := append(strings.Fields(command), "--space", "team", "--user", "reader")
		if out := w.run(args...).out; strings.Contains(out, "NEW") || !strings.Contains(out, "ontent") {
			t.Errorf("%s: %s", command, out)
		}
	}
}

// spaceCaller is a user who calls tools through all interfaces.
type spaceCaller struct {
	t     *testing.T
	w     *world
	s     *served
	user  string
	token string
	mcp   *mcp.ClientSession
}

// want fails unless a call has a code, "" for a result. For not_found the space itself must
// be what was not found.
func (c *spaceCaller) want(tool, input, code string) {
	c.t.Helper()
	_, far := c.s.Ask("POST", "/tools/"+tool, input, c.token)
	viaMCP, _ := mcptest.Call(c.t, c.mcp, tool, input)
	for face, document := range map[string]string{"HTTP": far, "MCP": viaMCP,
		"command line": c.w.run("call", tool, input, "--user", c.user).out} {
		var answer struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(document), &answer); err != nil {
			c.t.Fatal(err)
		}
		e := answer.Error
		if e.Code != code || code == "not_found" && !strings.Contains(e.Message, `No space "team"`) {
			c.t.Errorf("%s as %s, %s: want %q: %s", tool, c.user, face, code, document)
		}
	}
}

// TestSpaceRolesOfAgents: an agent is never offered what changes members, and a call of it
// is refused, also by an admin's token.
func TestSpaceRolesOfAgents(t *testing.T) {
	w := newWorld(t)
	w.run("space", "create", "team", "--user", "alice").ok()
	w.run("space", "grant", "team", "bob", "write", "--user", "alice").ok()
	for _, audience := range []string{"agent", "host"} {
		s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--audience", audience)
		for _, user := range []string{"alice", "bob"} {
			token := bearer(w.personsToken(user))
			list := s.Want(200, "list_memo", "GET", "/tools?format=names&audience=person", "", token)
			for tool, input := range map[string]string{
				"create_space": `{"space":"new"}`, "grant_space": `{"space":"team","member":"bob","role":"admin"}`,
				"revoke_space": `{"space":"team","member":"alice"}`,
				"remove_space": `{"space":"team","with_contents":true}`,
				"undo_change":  `{"space":"team"}`,
			} {
				if strings.Contains(list, `"`+tool+`"`) {
					t.Errorf("%s offers %s", audience, tool)
				}
				s.Want(403, `"code":"unavailable"`, "POST", "/tools/"+tool, input, token)
			}
		}
		// The input cannot choose the user either.
		for _, more := range []string{`,"user":"alice"`, `,"role":"admin"`, `,"as":"owner"`} {
			s.Want(400, `"code":"invalid_input"`, "POST", "/tools/add_memo",
				fmt.Sprintf(`{"space":"team","name":"x","content":"x","priority":1%s}`, more), bearer(w.token("bob")))
		}
		s.Want(403, "", "POST", "/tools/list_memo", `{"space":"team"}`, bearer(w.token("eve")), "Techo-User: alice")
	}
	members := fmt.Sprint(w.run("space", "members", "team", "--user", "alice").ok()["space"])
	if !strings.Contains(members, "map[role:admin user:alice] map[role:write user:bob]") {
		t.Error(members)
	}
}
