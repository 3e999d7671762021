//go:build unix

package browser

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a running browser and its descendants, which are one group of processes.
type process struct {
	command *exec.Cmd
	link    *link
	folder  string // everything that it writes
	said    tail   // the end of its stderr
	ended   chan struct{}
}

// nobody is the id of the user that runs the browser if techo runs as root: its sandbox refuses
// root.
const nobody = 65534

func start(program, proxy string) (*process, error) {
	folder, err := os.MkdirTemp("", "techo-browser-")
	if err != nil {
		return nil, &StartError{err.Error()}
	}
	p := &process{folder: folder, ended: make(chan struct{})}
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 && hasUser(nobody) {
		attributes.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		err = os.Chown(folder, nobody, nobody)
	}
	var far, near [2]*os.File // the pipes to the browser and back
	for _, pair := range []*[2]*os.File{&far, &near} {
		if err == nil {
			pair[0], pair[1], err = os.Pipe()
		}
	}
	if err == nil {
		p.command = exec.Command(program, flags(folder, proxy)...)
		p.command.SysProcAttr = attributes
		p.command.Env = environment(folder)
		p.command.Dir = folder
		p.command.Stderr = &p.said
		p.command.WaitDelay = time.Second
		p.command.ExtraFiles = []*os.File{far[0], near[1]}
		err = p.command.Start()
	}
	for _, f := range []*os.File{far[0], near[1]} {
		f.Close() // a nil file returns an error
	}
	if err != nil {
		far[1].Close()
		near[0].Close()
		os.RemoveAll(folder)
		return nil, &StartError{err.Error()}
	}
	p.link = newLink(near[0], far[1])
	go func() {
		_ = p.command.Wait()
		far[1].Close()
		close(p.ended)
	}()
	return p, nil
}

func flags(folder, proxy string) []string {
	return []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + filepath.Join(folder, "profile"),
		"--proxy-server=http://" + proxy, "--proxy-bypass-list=<-loopback>",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		"--disable-quic", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-default-apps", "--disable-extensions", "--disable-domain-reliability", "--disable-breakpad",
		"--disable-crash-reporter", "--disable-client-side-phishing-detection", "--no-first-run",
		"--no-default-browser-check", "--no-pings", "--no-service-autorun", "--metrics-recording-only",
		"--disable-gpu", "--disable-dev-shm-usage", "--disable-notifications", "--mute-audio", "--hide-scrollbars",
		"--block-new-web-contents", "--deny-permission-prompts", "--password-store=basic", "--use-mock-keychain",
		"--blink-settings=imagesEnabled=false", "--js-flags=--max-old-space-size=512",
		"--disable-features=MediaRouter,OptimizationHints,Translate,DnsOverHttps,PrivacySandboxSettings4",
		"--no-startup-window",
	}
}

func environment(folder string) []string {
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "DBUS_SESSION_BUS_ADDRESS=disabled:"}
	for _, name := range []string{"HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
		"XDG_RUNTIME_DIR"} {
		env = append(env, name+"="+folder)
	}
	return env
}

// end kills the browser and all its descendants, and removes their files.
func (p *process) end() {
	group := p.command.Process.Pid
	for wait := time.Millisecond; wait < 2*time.Second; wait *= 2 {
		if errors.Is(syscall.Kill(-group, syscall.SIGKILL), syscall.ESRCH) || !runs(group) {
			break
		}
		time.Sleep(wait)
	}
	<-p.ended
	for range 20 {
		if os.RemoveAll(p.folder) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// watch ends the rendering if the browser ends or takes too much memory. At the end of ctx
// it kills the browser, so that nothing waits for it.
func (p *process) watch(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if memoryOf(p.command.Process.Pid) > MaxMemory {
				_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
				stop(ErrMemory)
				return
			}
		case <-p.ended:
			return
		case <-ctx.Done():
			_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
			return
		}
	}
}

// reason returns the last line that the browser wrote.
func (p *process) reason() string {
	select {
	case <-p.ended:
	case <-time.After(time.Second):
	}
	lines := strings.Split(strings.TrimSpace(p.said.String()), "\n")
	for _, line := range slices.Backward(lines) {
		if strings.Contains(line, "FATAL") || strings.Contains(line, "ERROR") || line != "" && len(lines) == 1 {
			if at := strings.LastIndex(line, "] "); at >= 0 {
				line = line[at+2:]
			}
			return strings.ToValidUTF8(line[:min(len(line), 300)], "")
		}
	}
	return "it ended at once"
}

// tail keeps the end of a text.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const limit = 4 << 10
	t.text = append(t.text, b...)
	if len(t.text) > limit {
		t.text = bytes.Clone(t.text[len(t.text)-limit:])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
