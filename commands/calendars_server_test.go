package commands

import (
	"strings"
	"testing"
)

// TestCalendarCommandsRemote: commands about calendars that no catalogue lists have the same
// answers through a server as from a store of this machine.
func TestCalendarCommandsRemote(t *testing.T) {
	near, far := newWorld(t), newWorld(t)
	near.env["TECHO_TOKEN"] = far.personsToken("tanaka")
	near.useServer(far.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--audience", "person").Base)
	here := newWorld(t)
	here.env["TECHO_USER"] = "tanaka"
	for _, line := range []string{
		"cal create Lunch 2026-03-02T12:00 --alarm 10m --calendar work", "cal due --within 3650d --calendar all",
		"cal due --within 3650d --calendar work -o text", "cal due --within 3650d --calendar default -o text",
		"cal due --within soon", "cal due --fields count",
		"cal default work", "cal default work --lang ja -o text", "cal default nowhere", "cal calendars",
		"cal rename work office", "cal rename work office", "cal rename office", "cal remove office",
		"cal hold Interview --slot 2026-04-14T10:00/60m --slot 2026-04-15T15:00/16:00 --expires 48h",
		"cal confirm none", "cal remove office --events", "cal remove office --events --lang ja", "cal calendars",
		"space create team", "cal create Standup 2026-03-02T09:00 --alarm 5m --space team",
		"cal due --within 3650d --calendar all", "cal rename default meetings --space team",
		"cal remove meetings --space nowhere",
	} {
		want, got := here.run(strings.Fields(line)...), near.run(strings.Fields(line)...)
		if got.out == "" || got.out != want.out || got.code != want.code {
			t.Errorf("%s\nhere %d %.1500s\nthrough the server %d %.1500s", line, want.code, want.out, got.code, got.out)
		}
	}
}

// TestCalendarCommandsAllowed: a server for agents does not manage calendars, and a token only
// does what it is for.
func TestCalendarCommandsAllowed(t *testing.T) {
	agent, far := newWorld(t), newWorld(t)
	agent.env["TECHO_TOKEN"] = far.token("tanaka")
	agent.useServer(far.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet").Base)
	agent.run("cal", "create", "x", "2026-03-02T12:00").ok()
	agent.run("cal", "due").ok()
	for _, line := range []string{"cal default default", "cal rename default x", "cal remove default --events"} {
		a := agent.run(strings.Fields(line)...)
		if a.code != 4 || !strings.Contains(a.out, "--audience person") {
			t.Errorf("%s: %d %s", line, a.code, a.out)
		}
	}
	for _, flags := range [][]string{{"--only", "memo"}, {"--read-only"}} {
		agent.env["TECHO_TOKEN"] = far.token("tanaka", flags...)
		a := agent.run("cal", "hold", "x", "--slot", "2026-04-14T10:00/60m")
		if a.code != 4 || !strings.Contains(a.out, strings.TrimSpace(flags[0])) {
			t.Errorf("%v: %d %s", flags, a.code, a.out)
		}
	}
}

// TestCombinedDeletes checks that the combined tool leaves out the fields of queries when
// it deletes an event, but not the conditions and the dry run of changes.
func TestCombinedDeletes(t *testing.T) {
	w := newWorld(t)
	event := w.run("cal", "create", "Review", "2026-01-06 10:00").ok()["event"].(map[string]any)["event_id"].(string)
	for _, field := range []string{`"dry_run":true`, `"if_free":true`, `"expected_etag":"x"`} {
		name := "/" + strings.Split(field, `"`)[1]
		w.run("call", "calendar", `{"event_id":"`+event+`",`+field+`}`).fails("invalid_input", name)
	}
	w.run("cal", "get", event).ok()
	w.run("call", "calendar", `{"event_id":"`+event+`","title":null,"dry_run":null,"date":"2026-01-06"}`).ok()
	w.run("cal", "get", event).fails("not_found", "/event_id")
}
