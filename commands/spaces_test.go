package commands

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/internal/mcptest"
	"techo/internal/testenv"
)

type spaceModel struct {
	members map[string]map[string]string // role by space and user
	invited map[string]map[string]string // likewise, who have not accepted
	memos   map[string]map[string]bool   // names by space
	events  map[string]bool              // whether a space has events
	made    map[string]int               // how often a space was created
}

// secret is a word that only the memos of a space have. Another space with the name has
// another one.
func (m *spaceModel) secret(space string) string {
	return fmt.Sprintf("secret-%s-%d.", space, m.made[space])
}

func (m *spaceModel) may(user, space, role string) bool {
	roles := []string{"", "read", "write", "admin"}
	return slices.Index(roles, m.members[space][user]) >= slices.Index(roles, role)
}

func (m *spaceModel) admins(space string) (n int) {
	for _, role := range m.members[space] {
		if role == "admin" {
			n++
		}
	}
	return n
}

// spaceFaces sends calls through all interfaces.
type spaceFaces struct {
	*rand.Rand
	t      *testing.T
	w      *world
	s      *served
	tokens map[string]string
	mcp    map[string]*mcp.ClientSession
	model  *spaceModel

	withToken bool // the last call was one with a token
}

var spaceUsers, sharedNames = []string{"alice", "bob", "carol", "dave"}, []string{"red", "blue"}

func newSpaceFaces(t *testing.T) *spaceFaces {
	t.Helper()
	w := newWorld(t)
	f := &spaceFaces{Rand: testenv.Random(t), t: t, w: w, tokens: map[string]string{},
		mcp: map[string]*mcp.ClientSession{},
		model: &spaceModel{map[string]map[string]string{}, map[string]map[string]string{},
			map[string]map[string]bool{}, map[string]bool{}, map[string]int{}}}
	for _, user := range spaceUsers {
		f.tokens[user] = w.personsToken(user)
	}
	f.s = w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--audience", "person")
	for _, user := range spaceUsers {
		f.mcp[user] = connectHTTP(t, f.s.Base+"/mcp", "2025-06-18", f.tokens[user])
	}
	return f
}

// call calls a tool as a user, through a random interface. It returns the document and
// the code of its error, "" for a result.
func (f *spaceFaces) call(user, tool string, input map[string]any) (document, code string) {
	f.t.Helper()
	b, err := json.Marshal(input)
	if err != nil {
		f.t.Fatal(err)
	}
	face := f.IntN(3)
	f.withToken = face != 0
	switch face {
	case 0:
		document = f.w.run("call", tool, string(b), "--user", user).out
	case 1:
		_, document = f.s.Ask("POST", "/tools/"+tool, string(b), bearer(f.tokens[user]))
	default:
		document, _ = mcptest.Call(f.t, f.mcp[user], tool, string(b))
	}
	var answer struct{ Error struct{ Code string } }
	if err := json.Unmarshal([]byte(document), &answer); err != nil {
		f.t.Fatalf("%s %s: %v\n%s", tool, b, err, document)
	}
	f.noSecrets(user, document)
	return document, answer.Error.Code
}

// noSecrets fails if a document has a word of a space that the user may not read, or of
// one that was removed.
func (f *spaceFaces) noSecrets(user, document string) {
	f.t.Helper()
	document = strings.NewReplacer(`\u002d`, "-").Replace(document)
	for _, space := range sharedNames {
		for made := 1; made <= f.model.made[space]; made++ {
			present := made == f.model.made[space] && f.model.may(user, space, "read")
			if !present && strings.Contains(document, fmt.Sprintf("secret-%s-%d.", space, made)) {
				f.t.Fatalf("%s (%v) sees a memo of %s: %s", user, f.model.members, space, document)
			}
		}
	}
}

func (f *spaceFaces) want(user, tool string, input map[string]any, codes ...string) (document string, done bool) {
	f.t.Helper()
	document, code := f.call(user, tool, input)
	if !slices.Contains(codes, code) {
		f.t.Fatalf("%s %s %v: %q, want %q; members %v\n%s", user, tool, input, code, codes, f.model.members, document)
	}
	return document, code == ""
}

// refusal returns the code for a user without a role, or "" if the user has it.
func (f *spaceFaces) refusal(user, space, role string) string {
	switch {
	case f.model.may(user, space, role):
		return ""
	case f.model.may(user, space, "read"):
		return "forbidden"
	}
	return "not_found"
}

// membership makes a random change of spaces and members.
func (f *spaceFaces) membership(user, space string) {
	m := f.model
	member := spaceUsers[f.IntN(len(spaceUsers))]
	switch f.IntN(11) {
	case 0, 1:
		code := ""
		if m.members[space] != nil {
			code = "already_exists"
		}
		if _, done := f.want(user, "create_space", map[string]any{"space": space}, code); done {
			m.made[space]++
			m.members[space], m.memos[space] = map[string]string{user: "admin"}, map[string]bool{}
			m.events[space], m.invited[space] = false, map[string]string{}
		}
	case 2:
		input := map[string]any{"space": space, "with_contents": true}
		if _, done := f.want(user, "remove_space", input, f.refusal(user, space, "admin")); done {
			delete(m.members, space)
			delete(m.invited, space)
			delete(m.memos, space)
		}
	case 3:
		refused := f.refusal(user, space, "admin")
		if user == member && refused == "forbidden" {
			refused = "" // a member may leave
		}
		if refused == "" && !m.may(member, space, "read") && m.invited[space][member] == "" {
			refused = "not_found"
		} else if refused == "" && m.may(member, space, "admin") && m.admins(space) == 1 {
			refused = "conflict"
		}
		if _, done := f.want(user, "revoke_space", map[string]any{"space": space, "member": member}, refused); done {
			delete(m.members[space], member)
			delete(m.invited[space], member)
		}
	case 4, 5:
		f.answer(member, space)
	default:
		role := []string{"read", "write", "admin"}[f.IntN(3)]
		refused := f.refusal(user, space, "admin")
		if refused == "" && role != "admin" && m.may(member, space, "admin") && m.admins(space) == 1 {
			refused = "conflict"
		}
		input := map[string]any{"space": space, "member": member, "role": role}
		if document, done := f.want(user, "grant_space", input, refused); done {
			f.granted(document, space, member, role)
		}
	}
}

func (f *spaceFaces) write(user, space string) {
	m := f.model
	name := fmt.Sprint("m", f.IntN(4))
	input := map[string]any{"space": space, "memo_name": name, "content": "now " + m.secret(space)}
	refused := f.refusal(user, space, "write")
	missing := refused
	if refused == "" && !m.memos[space][name] {
		missing = "not_found"
	}
	switch f.IntN(10) {
	case 7, 8:
		f.move(user, space)
	case 6:
		input = map[string]any{"space": space, "title": m.secret(space), "start": "2024-01-22 10:00"}
		if _, done := f.want(user, "create_event", input, refused); done {
			m.events[space] = true
		}
	case 5:
		text := fmt.Sprint(m.secret(space), " ", f.IntN(100))
		f.want(user, "add_memory", map[string]any{"space": space, "full_text": text}, refused)
	case 0, 1:
		if refused == "" && m.memos[space][name] {
			refused = "already_exists"
		}
		input = map[string]any{"space": space, "name": name, "content": m.secret(space), "priority": 5}
		if _, done := f.want(user, "add_memo", input, refused); done {
			m.memos[space][name] = true
		}
	case 2:
		f.want(user, "edit_memo", input, missing)
	case 3:
		delete(input, "content")
		if _, done := f.want(user, "remove_memo", input, missing); done {
			delete(m.memos[space], name)
		}
	default:
		codes := []string{refused}
		if refused == "" {
			codes = []string{"", "not_found", "forbidden", "conflict", "already_exists", "limit_exceeded"}
		} else if refused == "forbidden" { // without any change to undo
			codes = append(codes, "not_found")
		}
		f.undo(user, space, codes)
	}
}

func (f *spaceFaces) read(user, space string) {
	m := f.model
	refused := f.refusal(user, space, "read")
	switch f.IntN(9) {
	case 8:
		document, _ := f.want(user, "list_events", map[string]any{"date": "2024-01-22", "calendar": "all"}, "")
		for _, space := range sharedNames {
			here := strings.Contains(strings.ReplaceAll(document, `\u002d`, "-"), m.secret(space))
			if want := m.may(user, space, "read") && m.events[space]; here != want {
				f.t.Fatalf("the events of %s have %s: %v, want %v; %s", user, space, here, want, document)
			}
		}
		f.want(user, "list_events", map[string]any{"date": "2024-01-22", "space": space}, refused)
	case 7:
		f.want(user, "search_memory", map[string]any{"query": "secret"}, "")
		f.want(user, "memory_context", map[string]any{"message": "secret red blue"}, "")
	case 6:
		tool := []string{"search_memory", "list_memory"}[f.IntN(2)]
		input := map[string]any{"space": space, "query": "secret"}
		if tool == "list_memory" {
			delete(input, "query")
		}
		f.want(user, tool, input, refused)
	case 0:
		document, done := f.want(user, "list_memo", map[string]any{"space": space}, refused)
		if total := fmt.Sprintf(`"total":%d,`, len(m.memos[space])); done && !strings.Contains(document, total) {
			f.t.Fatalf("%s reads %s: %s, want %s", user, space, document, total)
		}
	case 1:
		name := fmt.Sprint("m", f.IntN(4))
		if refused == "" && !m.memos[space][name] {
			refused = "not_found"
		}
		f.want(user, "get_memo", map[string]any{"space": space, "memo_name": name}, refused)
	case 2:
		f.want(user, "list_history", map[string]any{"space": space}, refused)
	case 3:
		f.want(user, "list_space_members", map[string]any{"space": space}, refused)
	case 4:
		document, _ := f.want(user, "list_spaces", map[string]any{}, "")
		for _, space := range sharedNames {
			if strings.Contains(document, `"name":"`+space+`"`) != (m.may(user, space, "read") ||
				m.invited[space][user] != "") {
				f.t.Fatalf("%s lists %s; members %v", user, document, m.members)
			}
		}
	default:
		document, _ := f.want(user, "memo_context", map[string]any{"important_limit": 100}, "")
		for _, space := range sharedNames {
			here := strings.Contains(document, m.secret(space))
			if want := m.may(user, space, "read") && m.secretMemos(space) > 0; here != want {
				f.t.Fatalf("the prompt of %s has %s: %v, want %v; %s", user, space, here, want, document)
			}
		}
	}
}

// TestSpaceRolesEverywhere does random things as several users, through the command
// line, HTTP and MCP, and compares what succeeds with the roles.
func TestSpaceRolesEverywhere(t *testing.T) {
	f := newSpaceFaces(t)
	for range testenv.Pick(500, 5000) {
		user, space := spaceUsers[f.IntN(len(spaceUsers))], sharedNames[f.IntN(len(sharedNames))]
		switch f.IntN(5) {
		case 0:
			f.membership(user, space)
		case 1, 2:
			f.write(user, space)
		default:
			f.read(user, space)
		}
	}
	f.w.run("store", "verify").ok()
}

// TestSpaceTokens checks a token that allows some spaces only.
func TestSpaceTokens(t *testing.T) {
	w := newWorld(t)
	w.run("space", "create", "team", "--user", "alice").ok()
	w.run("space", "create", "other", "--user", "alice").ok()
	for _, space := range []string{"team", "other"} {
		w.run("memo", "add", "in "+space, "content", "--priority", "5", "--space", space, "--user", "alice").ok()
		w.run("memory", "add", "A memory in "+space, "--space", space, "--user", "alice").ok()
		w.run("cal", "create", "event in "+space, "2024-01-22 10:00", "--space", space, "--user", "alice").ok()
	}
	w.run("memory", "add", "An \"own\" memory", "--user", "alice").ok()
	w.run("memo", "add", "own", "content", "--priority", "5").ok()
	token := w.personsToken("alice", "--spaces", "team")
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--audience", "person")
	s.Want(200, `"total":1`, "POST", "/tools/list_memo", `{"space":"team"}`, bearer(token))
	for input, refused := range map[string]string{`{}`: "your own records", `{"space":"own"}`: "your own records",
		`{"space":""}`: "your own records", `{"space":"other"}`: "this space", `{"space":"none"}`: "this space"} {
		s.Want(403, `"code":"forbidden","message":"The token does not allow `+refused+`"`, "POST", "/tools/get_memo",
			strings.Replace(strings.Replace(input, "}", `,"memo_name":"own"}`, 1), "{,", "{", 1), bearer(token))
	}
	s.Want(403, "このトークンは自分の記録を許していません", "POST", "/tools/move_memo",
		`{"memo_name":"in team","space":"team","to_space":"own"}`, bearer(token), "Techo-Lang: ja")
	s.Want(403, "A token with --spaces cannot manage spaces", "POST", "/tools/create_space", `{"space":"new"}`,
		bearer(token))
	s.Want(403, "--spaces", "POST", "/tools/ask_user", `{"question":"?"}`, bearer(token))
	for _, tool := range []string{"list_memo", "list_events", "list_memory", "list_todos", "list_history"} {
		s.Want(403, `"message":"The token does not allow your own records"`, "POST", "/tools/"+tool, `{}`,
			bearer(token))
	}
	found := s.Want(200, `"total":1`, "POST", "/tools/list_memo", `{"query":"content"}`, bearer(token))
	memories := s.Want(200, `"total":1`, "POST", "/tools/search_memory", `{"query":"memory"}`, bearer(token))
	id := regexp.MustCompile("mem_[a-z0-9]+").FindString(memories)
	s.Want(200, `"space":"team"`, "GET", "/memories/full?user_id=alice&ids="+id, "", bearer(token))
	s.Want(200, `"only":[],"spaces":["team"]`, "GET", "/whoami", "", bearer(token))
	events := s.Want(200, `"checked":["team/default"]`, "POST", "/tools/check_availability",
		`{"check_type":"day","date":"2024-01-22","calendar":"all"}`, bearer(token))
	prompt := s.Want(200, "in team", "POST", "/tools/memo_context", `{}`, bearer(token))
	list := s.Want(200, `"name":"team"`, "POST", "/tools/list_spaces", `{}`, bearer(token))
	for _, text := range []string{found, memories, events, prompt, list} {
		if strings.Contains(text, "other") || strings.Contains(text, `"own"`) {
			t.Errorf("the token reaches more: %s", text)
		}
	}
	if list := w.run("token", "list", "-o", "text").out; !strings.Contains(list, "--spaces team") {
		t.Errorf("no spaces in %s", list)
	}
	w.run("token", "add", "--user", "alice", "--spaces", "a b").fails("invalid_input")
}
