package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/commands/google"
)

// googleWorld is a world with a fake token endpoint and a fake calendar.
type googleWorld struct {
	*world
	forms []url.Values // the requests to the token endpoint
	seen  []string     // the access tokens sent to the calendar
	deny  string       // the error of the
	brief bool         // it returns no refresh
}

// newGoogle returns a world whose clock goes, and which takes a handler for Google.
func newGoogle(t *testing.T, calendar string, google http.Handler) *world {
	w := newWorld(t)
	server := httptest.NewServer(google)
	t.Cleanup(server.Close)
	w.clock = time.Time{}
	delete(w.env, "TECHO_NOW")
	w.env["TECHO_TZ"], w.env["TECHO_GOOGLE_TOKEN_URL"] = "Asia/Tokyo", server.URL+"/token"
	w.env["TECHO_GOOGLE_CALENDAR_URL"] = server.URL + calendar
	return w
}

func newGoogleWorld(t *testing.T) *googleWorld {
	w := &googleWorld{}
	mux := http.NewServeMux()
	mux.HandleFunc("/token", func(rw http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		w.forms = append(w.forms, r.Form)
		if w.deny != "" {
			rw.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(rw, `{"error":%q}`, w.deny)
			return
		}
		answer := map[string]any{"access_token": fmt.Sprint("access", len(w.forms)), "expires_in": 3600}
		if r.Form.Get("grant_type") == "authorization_code" && !w.brief {
			answer["refresh_token"] = "refresh"
		}
		_ = json.NewEncoder(rw).Encode(answer)
	})
	mux.HandleFunc("/cal/", func(rw http.ResponseWriter, r *http.Request) {
		w.seen = append(w.seen, r.Header.Get("Authorization"))
		fmt.Fprint(rw, `{"items":[]}`)
	})
	w.world = newGoogle(t, "/cal", mux)
	return w
}

// at runs a command whose stderr somebody reads.
func (w *googleWorld) at(stderr io.Writer, args ...string) (string, int) {
	w.t.Helper()
	var out bytes.Buffer
	code := Main(w.World(strings.NewReader(""), &out, stderr, args...))
	return out.String(), code
}

func (w *googleWorld) must(args ...string) string {
	w.t.Helper()
	out, code := w.at(io.Discard, args...)
	if code != 0 {
		w.t.Fatalf("%v: exit %d: %s", args, code, out)
	}
	return out
}

func TestGoogleTokens(t *testing.T) {
	w := newGoogleWorld(t)
	w.must("cal", "auth", "google", "--client-id", "id", "--client-secret", "secret", "--refresh-token", "r1")
	w.must("cal", "list", "--calendar", "google")
	w.must("cal", "list", "--calendar", "google")
	if len(w.forms) != 1 || len(w.seen) != 3 || w.seen[2] != "Bearer access1" { // the first request is the check
		t.Errorf("asked for %d tokens, used %v", len(w.forms), w.seen)
	}
	if f := w.forms[0]; f.Get("refresh_token") != "r1" || f.Get("client_secret") != "secret" {
		t.Errorf("%v", f)
	}
	path := filepath.Join(w.dir, ".config", "techo", "google.json")
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	// An expired access token, and a revoked refresh token.
	if err := expire(w.dir); err != nil {
		t.Fatal(err)
	}
	w.deny = "invalid_grant"
	out, code := w.at(io.Discard, "cal", "list", "--calendar", "google", "--lang", "ja")
	refused := "カレンダーにアクセスできません。認証情報を確認してください。"
	if code != 4 || !strings.Contains(out, refused) || !strings.Contains(out, "7日") {
		t.Errorf("exit %d: %s", code, out)
	}
	// Credentials from the environment, and from a secret manager's command.
	w.deny = ""
	w.env["TECHO_GOOGLE_CREDENTIAL_COMMAND"] = `printf '{"client_id":"id2","refresh_token":"r2"}'`
	w.must("cal", "list", "--calendar", "google")
	if f := w.forms[len(w.forms)-1]; f.Get("refresh_token") != "r2" || f.Get("client_id") != "id2" {
		t.Errorf("%v", f)
	}
	if b, _ := os.ReadFile(path); bytes.Contains(b, []byte("r2")) {
		t.Errorf("what the command printed was kept: %s", b)
	}
}

// browse follows the address on stderr as a browser does: it opens the page of the redirect with each
// query. It returns the last answer.
func browse(stderr io.Reader, queries ...string) (page string, err error) {
	text := ""
	for buf := make([]byte, 4096); !strings.Contains(text, "code_challenge_method=S256"); {
		n, err := stderr.Read(buf)
		if err != nil {
			return "", err
		}
		text += string(buf[:n])
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	u, err := url.Parse(strings.TrimSpace(text[strings.Index(text, "https://"):]))
	for _, query := range queries {
		var resp *http.Response
		if err == nil {
			resp, err = http.Get(u.Query().Get("redirect_uri") + query + "&state=" + u.Query().Get("state"))
		}
		if err != nil {
			return "", err
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		page = resp.Status + " " + string(b)
	}
	return page, err
}

func TestGoogleLoopback(t *testing.T) {
	w := newGoogleWorld(t)
	r, stderr := io.Pipe()
	go func() {
		if _, err := browse(r, "?state=wrong&code=c", "?code=c"); err != nil {
			t.Error(err)
		}
	}()
	out, code := w.at(stderr, "cal", "auth", "google", "--client-id", "id", "--client-secret", "secret", "--calendar",
		"work")
	if code != 0 || !strings.Contains(out, `"authorized":true`) {
		t.Fatalf("exit %d: %s", code, out)
	}
	if f := w.forms[0]; f.Get("code") != "c" || len(f.Get("code_verifier")) < 43 ||
		!strings.HasPrefix(f.Get("redirect_uri"), "http://127.0.0.1:") {
		t.Errorf("%v", f)
	}
	if out := w.must("cal", "calendars"); !strings.Contains(out,
		`"url":"","remote":"primary","events":0}`) {
		t.Error(out)
	}
}

// begin starts an authorization without a listener, and returns its state.
func (w *googleWorld) begin(args ...string) (state string) {
	w.t.Helper()
	var out struct{ URL string }
	if err := json.Unmarshal([]byte(w.must(append([]string{"cal", "auth", "google", "--no-listen"}, args...)...)),
		&out); err != nil {
		w.t.Fatal(err)
	}
	u, err := url.Parse(out.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	return u.Query().Get("state")
}

// TestGoogleRebind checks that a working binding survives an authorization that
// is pending, was refused, or came back without a refresh token.
func TestGoogleRebind(t *testing.T) {
	w := newGoogleWorld(t)
	w.must("cal", "auth", "google", "--client-id", "old", "--refresh-token", "r1")
	works := func(after, client, token string) {
		t.Helper()
		if err := expire(w.dir); err != nil {
			t.Fatal(err)
		}
		w.must("cal", "list", "--calendar", "google")
		if f := w.forms[len(w.forms)-1]; f.Get("client_id") != client || f.Get("refresh_token") != token {
			t.Errorf("after %s: %v", after, f)
		}
	}
	state := w.begin("--client-id", "new", "--client-secret", "s")
	works("the beginning", "old", "r1")
	redirected := func(query string) (string, int) {
		return w.at(io.Discard, "cal", "auth", "google", "--redirected", "http://127.0.0.1:1/?state="+state+query)
	}
	if out, code := redirected("&error=access_denied"); code != 4 || !strings.Contains(out, "access_denied") {
		t.Errorf("exit %d: %s", code, out)
	}
	works("a refusal", "old", "r1")
	w.brief = true
	if out, code := redirected("&code=c"); code != 4 || !strings.Contains(out, "no refresh token") ||
		!strings.Contains(out, "permissions") {
		t.Errorf("exit %d: %s", code, out)
	}
	works("no refresh token", "old", "r1")
	w.brief, w.deny = false, "invalid_grant"
	if out, code := w.at(io.Discard, "cal", "auth", "google", "--refresh-token", "wrong"); code != 4 {
		t.Errorf("exit %d: %s", code, out)
	}
	w.deny = ""
	works("a wrong token", "old", "r1")
	if out, code := redirected("&code=c"); code != 0 {
		t.Errorf("exit %d: %s", code, out)
	}
	works("the end", "new", "refresh")
}

// expire makes the stored access token expire soon.
func expire(home string) error {
	path := filepath.Join(home, ".config", "techo", "google.json")
	var c google.Credentials
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return err
	}
	c.Expiry = time.Now().Add(30 * time.Second)
	if b, err = json.Marshal(c); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// TestGoogleDamagedCredentials checks that the error of a truncated file names
// the file.
func TestGoogleDamagedCredentials(t *testing.T) {
	w := newGoogleWorld(t)
	w.must("cal", "auth", "google", "--client-id", "id", "--refresh-token", "r1")
	path := filepath.Join(w.dir, ".config", "techo", "google.json")
	if err := os.Truncate(path, 20); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"cal", "list", "--calendar", "google"},
		{"cal", "auth", "google", "--client-id", "id", "--no-listen"}} {
		if out, code := w.at(io.Discard, args...); code != 4 || !strings.Contains(out, `"code":"unavailable"`) ||
			!strings.Contains(out, "Remove "+path) {
			t.Errorf("%v: exit %d: %s", args, code, out)
		}
	}
}

// TestGoogleRefusedInBrowser checks that the last page in the browser reports a
// refusal.
func TestGoogleRefusedInBrowser(t *testing.T) {
	w := newGoogleWorld(t)
	r, stderr := io.Pipe()
	page := make(chan string, 1)
	go func() {
		got, err := browse(r, "?error=access_denied")
		page <- fmt.Sprint(got, err)
	}()
	out, code := w.at(stderr, "cal", "auth", "google", "--client-id", "id", "--calendar", "work")
	if code != 4 || !strings.Contains(out, "access_denied") {
		t.Errorf("exit %d: %s", code, out)
	}
	if got := <-page; !strings.HasPrefix(got, "403 ") || strings.Contains(got, "Done") ||
		!strings.Contains(got, "Not authorized") {
		t.Errorf("the page: %s", got)
	}
}
