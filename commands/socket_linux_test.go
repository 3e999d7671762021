package commands

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"techo/internal/testenv"
)

// TestServeDefault checks that the default address is a socket of the user, below
// the runtime folder or the folder for state.
func TestServeDefault(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ runtime, state, want string }{
		{"run", "", "run/techo/serve.sock"},
		{"", "state", "state/techo/serve.sock"},
		{"", "", ".local/state/techo/serve.sock"},
		{"open", "state", "state/techo/serve.sock"}, // a folder that others can enter
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
		_ = os.Mkdir(filepath.Join(w.dir, "open"), 0o755)
		_ = os.Symlink("run", filepath.Join(w.dir, "link"))
		s := w.serve(t, "serve", "--quiet", "--lang", "en", "--socket-by-default")
		path := s.useSocket()
		if want := filepath.Join(w.dir, c.want); path != want {
			t.Errorf("%+v: listens on %s, want %s", c, path, want)
		}
		st, err := os.Lstat(path)
		if err != nil || st.Mode() != fs.ModeSocket|0o600 {
			t.Errorf("%v, %v", st.Mode(), err)
		}
		if st, err := os.Stat(filepath.Dir(path)); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("folder: %v, %v", st.Mode(), err)
		}
		s.Want(200, `"total":0`, "POST", "/tools/list_memo", "")
		w.run("serve").fails("conflict")
		s.stop()
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the socket was not removed: %v", err)
		}
		if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".techo-*")); len(rest) > 0 {
			t.Errorf("left over: %q", rest)
		}
	}
	w.env = map[string]string{"TECHO_STORE": w.env["TECHO_STORE"]}
	w.run("serve").fails("unavailable")
}

// TestServeDefaultForeign refuses a folder for state that is a link.
func TestServeDefaultForeign(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.dir, ".local", "state")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.Mkdir(filepath.Join(w.dir, "other"), 0o700),
		os.Symlink(filepath.Join(w.dir, "other"), filepath.Join(dir, "techo"))); err != nil {
		t.Fatal(err)
	}
	w.run("serve").fails("forbidden")
	w.run("serve", "--listen", "127.0.0.1:0").fails("forbidden")
	if entries, err := os.ReadDir(filepath.Join(w.dir, "other")); err != nil || len(entries) > 0 {
		t.Errorf("written through the link: %v, %v", entries, err)
	}
}

// otherUser is the id of a user without processes.
const otherUser = 65534

func asOtherUser(t *testing.T, fn func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		testenv.Missing(t, "only root can act as another user")
	}
	done := make(chan error)
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked, so that the thread ends with the goroutine
		for _, call := range []uintptr{syscall.SYS_SETRESGID, syscall.SYS_SETRESUID} {
			if _, _, e := syscall.RawSyscall(call, otherUser, otherUser, otherUser); e != 0 {
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

// TestServeOtherUser checks that another user of the machine cannot open the socket
// of a default server, and that the server refuses the connection, before it reads
// anything, if the modes of the folder and the socket are opened.
func TestServeOtherUser(t *testing.T) {
	w := newWorld(t)
	// Only techo's own folders shall be private.
	for dir := w.dir; dir != "/"; dir = filepath.Dir(dir) {
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
	path := s.useSocket()
	asOtherUser(t, func() {
		if _, err := net.Dial("unix", path); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the folder is open to others: %v", err)
		}
	})
	if err := os.Chmod(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	asOtherUser(t, func() {
		if _, err := net.Dial("unix", path); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the socket is open to others: %v", err)
		}
	})
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	asOtherUser(t, func() {
		for _, request := range []string{
			"", "GET /health HTTP/1.1\r\nHost: techo\r\n\r\n",
			"POST /tools/list_memory HTTP/1.1\r\nHost: techo\r\nContent-Length: 2\r\n\r\n{}",
		} {
			c, err := net.Dial("unix", path)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(c, request) // the server may have closed the connection
			_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
			b, err := io.ReadAll(c)
			if !strings.HasPrefix(string(b), "HTTP/1.1 403 Forbidden\r\n") ||
				!strings.Contains(string(b), `"code":"forbidden"`) || strings.Contains(string(b), "secret") {
				t.Errorf("%q: %q, %v", request, b, err)
			}
			c.Close()
		}
	})
	s.Want(200, `a secret of the owner`, "POST", "/tools/list_memory", "")
	if log := s.log.String(); !strings.Contains(log, "another user") || !strings.Contains(log, "uid=65534") {
		t.Errorf("the refusal is not logged:\n%s", log)
	}
}
