package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/tools/calendar/googletest"
)

// doubleWorld runs techo against a double of Google.
type doubleWorld struct {
	*world
	*googletest.Server
}

func newDoubleWorld(t *testing.T, accounts ...string) *doubleWorld {
	double := googletest.New(accounts...)
	return &doubleWorld{newGoogle(t, "/calendar/v3", double), double}
}

// want runs a command and checks the exit code and a part of the answer.
func (w *doubleWorld) want(code int, part string, args ...string) string {
	w.t.Helper()
	got := w.run(args...)
	if got.code != code || !strings.Contains(got.out, part) {
		w.t.Errorf("%q: exit %d: %s\nwant %d with %s", args, got.code, got.out, code, part)
	}
	return got.out
}

// TestGoogleAccounts connects calendars of two accounts: each keeps its own.
func TestGoogleAccounts(t *testing.T) {
	w := newDoubleWorld(t, "home", "work")
	w.AddCalendar("home", "family@group", "Asia/Tokyo")
	event := func(title string) googletest.Event {
		return googletest.Event{"summary": title, "start": map[string]any{"dateTime": "2026-01-08T10:00:00+09:00"},
			"end": map[string]any{"dateTime": "2026-01-08T11:00:00+09:00"}}
	}
	w.Put("home", "primary", event("dentist"))
	w.Put("home", "family@group", event("picnic"))
	w.Put("work", "primary", event("review"))
	w.want(0, `"authorized":true`, "cal", "auth", "google", "--client-id", "c", "--refresh-token", "refresh-home")
	w.want(0, `"authorized":true`, "cal", "auth", "google", "--calendar", "family", "--remote", "family@group")
	w.want(0, `"authorized":true`, "cal", "auth", "google", "--calendar", "work", "--client-id", "c",
		"--refresh-token", "refresh-work")
	lists := func() {
		t.Helper()
		for calendar, title := range map[string]string{"google": "dentist", "family": "picnic", "work": "review"} {
			w.want(0, `[{"title":"`+title+`"}]`, "cal", "list", "2026-01-08", "--calendar", calendar,
				"--fields", "events.title")
		}
	}
	lists()
	// A calendar without credentials of its own needs to name an account, and one that
	// does not exist is refused.
	w.want(2, "--same-as", "cal", "auth", "google", "--calendar", "third")
	w.want(3, "has no calendar", "cal", "auth", "google", "--calendar", "third", "--same-as", "work", "--remote",
		"doesnotexist@x")
	w.want(4, "", "cal", "auth", "google", "--calendar", "work", "--refresh-token", "refresh-unknown")
	lists()
	// A new account for one calendar leaves the others alone.
	w.want(0, `"authorized":true`, "cal", "auth", "google", "--calendar", "family", "--client-id", "c",
		"--refresh-token", "refresh-work")
	w.want(0, "review", "cal", "list", "2026-01-08", "--calendar", "family")
	w.want(0, "dentist", "cal", "list", "2026-01-08", "--calendar", "google")
	files, err := filepath.Glob(filepath.Join(w.dir, ".config", "techo", "credentials", "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
	for _, f := range files {
		if st, err := os.Stat(f); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, st.Mode(), err)
		}
	}
}

// TestGoogleLocalName refuses to connect a calendar that has local events, before
// anyone has to agree.
func TestGoogleLocalName(t *testing.T) {
	w := newDoubleWorld(t, "home")
	w.want(0, "", "cal", "create", "a", "2026-01-08 10:00", "--calendar", "google")
	w.want(5, "techo cal rename google", "cal", "auth", "google", "--client-id", "c", "--refresh-token", "refresh-home")
}

// TestGoogleTokenFailures checks failures of the token endpoint: a refused token
// whose renewal fails for a moment, and lasting failures.
func TestGoogleTokenFailures(t *testing.T) {
	w := newDoubleWorld(t, "home")
	w.want(0, "", "cal", "auth", "google", "--client-id", "c", "--refresh-token", "refresh-home")
	w.Fail(googletest.Failure{Part: "/events", Status: 401, Reason: "authError"},
		googletest.Failure{Part: "/token", Status: 503})
	w.want(0, `"count":0`, "cal", "list", "--calendar", "google")
	for _, c := range []struct {
		status, code int
		part         string
	}{
		{503, 6, `"code":"upstream","message":"カレンダーサービスに接続できません。"`},
		{429, 6, `"code":"rate_limited","message":` +
			`"カレンダーへのアクセスが一時的に制限されています。"`},
		{401, 4, `"code":"unavailable","message":` +
			`"カレンダーにアクセスできません。認証情報を確認してください。"`},
		{403, 4, `"code":"unavailable","message":` +
			`"カレンダーにアクセスできません。認証情報を確認してください。"`},
		{404, 6, `"code":"upstream","message":"カレンダーサービスに接続できません。"`},
	} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			w := newDoubleWorld(t, "home")
			w.want(0, "", "cal", "auth", "google", "--client-id", "c", "--refresh-token", "refresh-home")
			w.Fail(googletest.Failure{Part: "/events", Status: 401, Reason: "authError"})
			for range 4 {
				w.Fail(googletest.Failure{Part: "/token", Status: c.status, RetryAfter: "60"})
			}
			w.want(c.code, c.part, "cal", "list", "--calendar", "google", "--lang", "ja")
		})
	}
}
