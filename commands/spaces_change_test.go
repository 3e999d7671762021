package commands

import (
	"encoding/json"
	"slices"
	"testing"

	"techo/store/event"
)

// moving is the name of a memo without a secret, which moves between the spaces.
const moving = "moving"

func (f *spaceFaces) move(user, space string) {
	m := f.model
	to := sharedNames[0]
	if to == space {
		to = sharedNames[1]
	}
	codes := []string{f.refusal(user, space, "write"), f.refusal(user, to, "write")}
	codes = slices.DeleteFunc(codes, func(code string) bool { return code == "" })
	switch {
	case len(codes) > 0:
	case !m.memos[space][moving]:
		codes = []string{"not_found"}
	case m.memos[to][moving]:
		codes = []string{"already_exists"}
	default:
		codes = []string{""}
	}
	input := map[string]any{"space": space, "memo_name": moving, "to_space": to}
	if _, done := f.want(user, "move_memo", input, codes...); done {
		delete(m.memos[space], moving)
		m.memos[to][moving] = true
	}
	if f.refusal(user, to, "write") == "" && !m.memos[to][moving] {
		f.want(user, "add_memo", map[string]any{"space": to, "name": moving, "content": "plain", "priority": 1}, "")
		m.memos[to][moving] = true
	}
}

func (f *spaceFaces) answer(user, space string) {
	m := f.model
	tool := []string{"accept_space", "accept_space", "decline_space"}[f.IntN(3)]
	code, role := "", m.invited[space][user]
	if role == "" {
		code = "not_found"
	}
	if m.members[space][user] != "" {
		code = "already_exists"
	}
	if _, done := f.want(user, tool, map[string]any{"space": space}, code); !done {
		return
	}
	if delete(m.invited[space], user); tool == "accept_space" {
		m.members[space][user] = role
	}
}

// granted notes that a user got a role, or an invitation if the admin has a token and the
// user was no member.
func (f *spaceFaces) granted(document, space, member, role string) {
	m := f.model
	var answer struct{ Invited bool }
	if err := json.Unmarshal([]byte(document), &answer); err != nil {
		f.t.Fatal(err)
	}
	if want := f.withToken && m.members[space][member] == ""; answer.Invited != want {
		f.t.Fatalf("%s is invited: %v, want %v: %s", member, answer.Invited, want, document)
	}
	if answer.Invited {
		m.invited[space][member] = role
		return
	}
	m.members[space][member] = role
	delete(m.invited[space], member)
}

// undo undoes the last change of a space. Only an admin undoes changes of others.
func (f *spaceFaces) undo(user, space string, codes []string) {
	m := f.model
	document, done := f.want(user, "undo_change", map[string]any{"space": space}, codes...)
	if !done {
		return
	}
	var answer struct{ Undone struct{ By string } }
	if err := json.Unmarshal([]byte(document), &answer); err != nil {
		f.t.Fatal(err)
	}
	if !m.may(user, space, "admin") && answer.Undone.By != user {
		f.t.Fatalf("%s undoes a change of %s; members %v", user, answer.Undone.By, m.members)
	}
	for _, space := range sharedNames { // of a move, both
		if m.members[space] != nil {
			f.record(space)
		}
	}
}

// record reads the members and the memos of a space after an undo.
func (f *spaceFaces) record(space string) {
	f.t.Helper()
	found := f.w.run("space", "members", space).ok()["space"].(map[string]any)
	members := found["members"].([]any)
	f.model.members[space], f.model.invited[space] = map[string]string{}, map[string]string{}
	invited, _ := found["invited"].([]any)
	for _, one := range invited {
		user := one.(map[string]any)
		f.model.invited[space][user["user"].(string)] = user["role"].(string)
	}
	admin := ""
	for _, one := range members {
		member := one.(map[string]any)
		f.model.members[space][member["user"].(string)] = member["role"].(string)
		if member["role"] == "admin" {
			admin = member["user"].(string)
		}
	}
	f.model.memos[space] = map[string]bool{}
	for _, one := range f.w.run("memo", "list", "--space", space, "--user", admin).ok()["memos"].([]any) {
		f.model.memos[space][one.(map[string]any)["name"].(string)] = true
	}
	events := f.w.run("cal", "list", "2024-01-22", "--space", space, "--user", admin, "--fields", "count").ok()
	f.model.events[space] = events["count"] != 0.0
}

func (m *spaceModel) secretMemos(space string) int {
	n := len(m.memos[space])
	if m.memos[space][moving] {
		n--
	}
	return n
}

// TestSlashedCalendar uses one's own calendar with the name of a calendar of a space, which
// comes first, also after its removal was undone.
func TestSlashedCalendar(t *testing.T) {
	w := newWorld(t)
	w.env["TECHO_USER"] = "alice"
	w.run("space", "create", "team").ok()
	w.run("cal", "create", "shared", "2026-01-05 09:00", "--calendar", "team/default").ok()
	st, err := w.session().Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	local := event.Binding{Kind: event.LocalCalendar}
	if err := st.BindCalendar(t.Context(), "team/default", local); err != nil { // as earlier versions did
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	w.run("cal", "create", "own", "2026-01-05 09:00", "--calendar", "team/default").ok()
	w.run("cal", "remove", "team/default", "--events").ok()
	w.run("undo").ok()
	for args, title := range map[string]string{"--calendar=team/default": "own", "--space=team": "shared"} {
		out := w.run("cal", "list", "2026-01-05", args, "--fields", "events.title").out
		if want := `{"events":[{"title":"` + title + `"}]}` + "\n"; out != want {
			t.Errorf("%s: %s", args, out)
		}
	}
	w.run("cal", "rename", "team/default", "work").ok()
}
