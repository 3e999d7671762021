package commands

import (
	"strings"
	"testing"

	"techo/commands/system"
)

// TestDoctorServer: doctor checks a server, the token and the version, in both languages.
func TestDoctorServer(t *testing.T) {
	far, near := newWorld(t), newWorld(t)
	all, some := far.token("alice"), far.token("alice", "--read-only", "--only", "memo")
	far.env["TECHO_TOKEN"] = "owner"
	near.useServer(far.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet").Base)
	doctor := func(token string, args ...string) answer {
		near.env["TECHO_TOKEN"] = token
		return near.run(append([]string{"doctor"}, args...)...)
	}
	if out := doctor(all).ok(); out["ok"] != true || len(out["findings"].([]any)) != 0 ||
		!strings.Contains(out["message"].(string), " (version "+system.Version+") can read its store; calls are "+
			"those of alice") {
		t.Error(out)
	}
	for lang, want := range map[string]string{"en": "allows only memo", "ja": "許可するのは memo だけです"} {
		if got := doctor(some, "--lang", lang, "-o", "text"); got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("%d %s", got.code, got.out)
		}
	}
	if got := doctor(far.token("alice", "--spaces", "own")); !strings.Contains(got.out, "allows only the spaces own") {
		t.Error(got.out)
	}
	near.env["TECHO_USER"] = "bob"
	if out := doctor("owner").ok(); !strings.HasSuffix(out["message"].(string), "calls are those of bob") {
		t.Error(out)
	}
	if got := doctor("wrong"); got.code != 4 || !strings.Contains(got.out, "techo login") {
		t.Errorf("%d %s", got.code, got.out)
	}
}
