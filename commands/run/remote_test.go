package run_test

import (
	"testing"

	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/tools"
	"techo/tools/memo"
)

// TestLoginsReadOnce: a call looks once for a login to a server.
func TestLoginsReadOnce(t *testing.T) {
	r := runtest.New(t, run.Given{Path: []string{"memo", "list"}}, memo.Tools())
	r.Options.Store = ""
	environment, looks := r.System.Getenv, 0
	r.System.Getenv = func(name string) string {
		if name == "XDG_STATE_HOME" { // the folder of the logins
			looks++
		}
		return environment(name)
	}
	list, e := r.Tool("list_memo")
	if e != nil {
		t.Fatal(e)
	}
	ask := func() int {
		looks = 0
		if _, e := r.CallTool(t.Context(), list, tools.Call{Input: []byte(`{}`)}); e != nil {
			t.Fatal(e)
		}
		return looks
	}
	opens := ask()
	if open := ask(); opens != open {
		t.Errorf("the call that opens the store looks %d times, the next one %d times", opens, open)
	}
}
