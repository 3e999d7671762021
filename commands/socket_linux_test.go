package commands

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"techo/commands/serve"
	"techo/internal/testenv"
)

// socketClient is how to reach a server on a socket.
func (s *served) socketClient(t *testing.T) (path string) {
	t.Helper()
	path, ok := strings.CutPrefix(s.base, "unix:")
	if !ok {
		t.Fatalf("no socket: %s", s.base)
	}
	s.base = "http://techo"
	s.client.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	return path
}

// TestServeDefault listens on a socket of the user unless it is told another
// address, in the folder for what runs or among the state.
func TestServeDefault(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ runtime, state, want string }{
		{"run", "", "run/techo/serve.sock"},
		{"", "state", "state/techo/serve.sock"},
		{"", "", ".local/state/techo/serve.sock"},
		{"wide", "state", "state/techo/serve.sock"}, // a folder that others can enter
		{"link", "state", "state/techo/serve.sock"},
		{"nowhere", "state", "state/techo/serve.sock"},
	} {
		w.env["XDG_RUNTIME_DIR"], w.env["XDG_STATE_HOME"] = "", ""
		for name, dir := range map[string]string{"XDG_RUNTIME_DIR": c.runtime, "XDG_STATE_HOME": c.state} {
			if dir != "" {
				w.env[name] = filepath.Join(w.dir, dir)
			}
		}
		_ = os.Mkdir(filepath.Join(w.dir, "run"), 0o700)
		_ = os.Mkdir(filepath.Join(w.dir, "wide"), 0o755)
		_ = os.Symlink("run", filepath.Join(w.dir, "link"))
		s := w.serve(t, "serve", "--quiet", "--lang", "en", "--socket-by-default")
		path := s.socketClient(t)
		if want := filepath.Join(w.dir, c.want); path != want {
			t.Errorf("%+v: listens on %s, want %s", c, path, want)
		}
		st, err := os.Lstat(path)
		if err != nil || st.Mode() != fs.ModeSocket|0o600 {
			t.Errorf("%v, %v", st.Mode(), err)
		}
		if st, err := os.Stat(filepath.Dir(path)); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("the folder: %v, %v", st.Mode(), err)
		}
		s.want(200, `"total":0`, "POST", "/tools/list_memo", "")
		w.run("serve").fails("conflict")
		s.stop()
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the socket stays: %v", err)
		}
		if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".techo-*")); len(rest) > 0 {
			t.Errorf("left over: %q", rest)
		}
	}
	w.env = map[string]string{"TECHO_STORE": w.env["TECHO_STORE"]}
	w.run("serve").fails("unavailable")
}

// TestServeDefaultForeign does not use a folder of state that others can
// change, or a link.
func TestServeDefaultForeign(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.dir, ".local", "state")
	if err := os.MkdirAll(filepath.Join(dir, "techo"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "techo"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.run("serve").fails("forbidden")
	w.run("serve", "--listen", "127.0.0.1:0").fails("forbidden")
	if err := os.Rename(filepath.Join(dir, "techo"), filepath.Join(w.dir, "other")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(w.dir, "other"), filepath.Join(dir, "techo")); err != nil {
		t.Fatal(err)
	}
	w.run("serve").fails("forbidden")
	if entries, err := os.ReadDir(filepath.Join(w.dir, "other")); err != nil || len(entries) > 0 {
		t.Errorf("written through the link: %v, %v", entries, err)
	}
}

// TestSocketMode looks at the socket all the time while it is made, without a
// umask: it is never open to others.
func TestSocketMode(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	for range 50 {
		dir := t.TempDir()
		path, done := filepath.Join(dir, "s"), make(chan struct{})
		seen := make(chan fs.FileMode, 1)
		go func() {
			defer close(seen)
			for {
				st, err := os.Lstat(path)
				if err == nil && st.Mode().Perm() != 0o600 {
					seen <- st.Mode()
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		}()
		l, err := serve.ListenSocket(t.Context(), newWorld(t).session().Env(), path, log)
		close(done)
		if err != nil {
			t.Fatal(err)
		}
		if mode, wide := <-seen; wide {
			t.Fatalf("the socket had mode %v", mode)
		}
		l.Close()
	}
}

// TestSocketOneServer starts servers on one path at once, over a socket that was
// left: one of them listens, and the others are told so.
func TestSocketOneServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	env, log := newWorld(t).session().Env(), slog.New(slog.NewTextHandler(io.Discard, nil))
	for range 20 {
		left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		left.SetUnlinkOnClose(false)
		left.Close()
		listeners := make(chan net.Listener)
		for range 8 {
			go func() {
				l, err := serve.ListenSocket(context.Background(), env, path, log)
				if err != nil && !errors.Is(err, syscall.EADDRINUSE) {
					t.Error(err)
				}
				listeners <- l
			}()
		}
		var won []net.Listener
		for range 8 {
			if l := <-listeners; l != nil {
				won = append(won, l)
			}
		}
		if len(won) != 1 {
			t.Fatalf("%d servers listen on one socket", len(won))
		}
		won[0].Close()
	}
}

// nobody is the user that no process of ours runs as.
const nobody = 65534

// asNobody runs fn in a thread of another user.
func asNobody(t *testing.T, fn func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		testenv.Missing(t, "only root can act as another user")
	}
	done := make(chan error)
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		for _, call := range []uintptr{syscall.SYS_SETRESGID, syscall.SYS_SETRESUID} {
			if _, _, e := syscall.RawSyscall(call, nobody, nobody, nobody); e != 0 {
				done <- e
				return
			}
		}
		fn()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestServeOtherUser gives a second user of the machine nothing: the socket of a
// default server cannot be opened, and when it can be, whoever opens it is
// refused before anything is read.
func TestServeOtherUser(t *testing.T) {
	w := newWorld(t)
	for dir := w.dir; dir != "/"; dir = filepath.Dir(dir) { // so that only techo's own folders are closed
		if st, err := os.Stat(dir); err == nil && st.Mode().Perm()&0o005 != 0o005 {
			_ = os.Chmod(dir, st.Mode().Perm()|0o055)
		}
	}
	w.env["XDG_STATE_HOME"] = filepath.Join(w.dir, "state")
	if err := os.Mkdir(w.env["XDG_STATE_HOME"], 0o755); err != nil {
		t.Fatal(err)
	}
	w.run("memory", "add", "a secret of the owner").ok()
	s := w.serve(t, "serve", "--socket-by-default")
	path := s.socketClient(t)
	asNobody(t, func() {
		if _, err := net.Dial("unix", path); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the folder lets others in: %v", err)
		}
	})
	if err := os.Chmod(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		if _, err := net.Dial("unix", path); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the socket lets others in: %v", err)
		}
	})
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		for _, request := range []string{
			"", "GET /health HTTP/1.1\r\nHost: techo\r\n\r\n",
			"POST /tools/list_memory HTTP/1.1\r\nHost: techo\r\nContent-Length: 2\r\n\r\n{}",
		} {
			c, err := net.Dial("unix", path)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(c, request) // it may be refused by then
			_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
			b, err := io.ReadAll(c)
			if !strings.HasPrefix(string(b), "HTTP/1.1 403 Forbidden\r\n") ||
				!strings.Contains(string(b), `"code":"forbidden"`) || strings.Contains(string(b), "secret") {
				t.Errorf("%q: %q, %v", request, b, err)
			}
			c.Close()
		}
	})
	s.want(200, `a secret of the owner`, "POST", "/tools/list_memory", "")
	if log := s.log.String(); !strings.Contains(log, "another user") || !strings.Contains(log, "uid=65534") {
		t.Errorf("nothing is logged:\n%s", log)
	}
}
