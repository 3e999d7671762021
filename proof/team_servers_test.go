package proof

import (
	"errors"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"techo/internal/postgres"
	"techo/internal/testenv"
)

// startDatabase starts a PostgreSQL server with settings for one test, which an ordinary
// run skips.
func startDatabase(t *testing.T, settings ...string) *postgres.Server {
	t.Helper()
	if !testenv.Long() {
		testenv.All(t, "starts PostgreSQL")
	}
	s, err := postgres.New(settings...)
	if errors.Is(err, postgres.ErrMissing) {
		testenv.Missing(t, "PostgreSQL")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopDatabase(t, s) })
	return s
}

func stopDatabase(t *testing.T, s *postgres.Server) {
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// startStandby adds a synchronous standby for one test.
func startStandby(t *testing.T, primary *postgres.Server) *postgres.Server {
	t.Helper()
	s, err := primary.Standby("standby")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopDatabase(t, s) })
	return s
}

// migrated prepares the store at an address of a database.
func migrated(t *testing.T, address string) string {
	t.Helper()
	mustTecho(t, address, "store", "migrate")
	return address
}

// teamServer is a `techo serve` that can be killed and started again at its address.
type teamServer struct {
	store string
	flags []string
	base  string // http://HOST:PORT

	mu      sync.Mutex
	process *exec.Cmd
	log     *testenv.Buffer
	ended   chan struct{}
}

var listens = regexp.MustCompile(`msg=listening address=(\S+)`)

func startServer(t *testing.T, store string, flags ...string) *teamServer {
	t.Helper()
	s := &teamServer{store: store, flags: flags}
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

// start starts the server, at the address that it had before. It logs requests only with the
// flag --log.
func (s *teamServer) start(t *testing.T) {
	t.Helper()
	address := "127.0.0.1:0"
	if s.base != "" {
		address = s.base[len("http://"):]
	}
	s.mu.Lock()
	s.log, s.ended = &testenv.Buffer{}, make(chan struct{})
	flags := append([]string{"serve", "--listen", address, "--no-token"}, s.flags...)
	if !slices.Contains(flags, "--log") {
		flags = append(flags, "--quiet")
	}
	s.process = command(t.Context(), s.store, flags...)
	s.process.Stderr = s.log
	err := s.process.Start()
	process, ended := s.process, s.ended
	s.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = process.Wait(); close(ended) }()
	testenv.Eventually(t, func() bool { return listens.MatchString(s.log.String()) })
	if m := listens.FindStringSubmatch(s.log.String()); m != nil {
		s.base = m[1]
	} else {
		t.Fatalf("the server does not listen: %s", s.log)
	}
}

// kill sends SIGKILL and waits for the end of the process.
func (s *teamServer) kill() { s.end(syscall.SIGKILL) }

// end sends a signal and waits for the end of the process.
func (s *teamServer) end(signal syscall.Signal) {
	s.mu.Lock()
	process, ended := s.process, s.ended
	s.mu.Unlock()
	_ = process.Process.Signal(signal)
	<-ended
}

// restart ends the server as an upgrade does, starts it, and waits until it is ready.
func (s *teamServer) restart(t *testing.T) {
	t.Helper()
	s.end(syscall.SIGTERM)
	s.start(t)
	testenv.Eventually(t, s.isReady)
}

// isReady reports whether the server answers GET /ready with 200.
func (s *teamServer) isReady() bool {
	client := http.Client{Timeout: time.Second}
	answer, err := client.Get(s.base + "/ready")
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// TestTeamReady: a server is ready while its database answers, and says in its log when that
// changes, but not that it was asked.
func TestTeamReady(t *testing.T) {
	database := startDatabase(t)
	s := startServer(t, migrated(t, database.Address("ready")), "--log", "text")
	status := func() int {
		answer, err := http.Get(s.base + "/ready")
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	if got := status(); got != 200 {
		t.Error("beside its database:", got)
	}
	if err := database.Kill(); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() bool { return status() == 503 })
	if err := database.Start(); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() bool { return status() == 200 })
	// The log comes through a pipe: a line may arrive after the answer of its request.
	testenv.Eventually(t, func() bool { return strings.Contains(s.log.String(), "msg=ready") })
	if log := s.log.String(); !strings.Contains(log, `msg="not ready"`) || strings.Contains(log, "path=/ready") {
		t.Errorf("the log: %s", log)
	}
}

// TestTeamSettledOnStandby breaks the connection of a commit that waits for the
// synchronous standby. The commit is then visible on the primary alone, and must not be
// acknowledged before the standby has it: the primary may fail next.
func TestTeamSettledOnStandby(t *testing.T) {
	primary := startDatabase(t)
	standby := startStandby(t, primary)
	address := migrated(t, primary.Address("settled", standby))
	mustTecho(t, address, "memo", "add", "first", "x", "--priority", "3")
	if err := standby.Kill(); err != nil {
		t.Fatal(err)
	}
	answered := make(chan answer, 1)
	go func() {
		answered <- collect(command(t.Context(), address, "memo", "add", "second", "x", "--priority", "3"))
	}()
	waiting := func() string {
		pid, err := primary.Query("SELECT max(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	await := func(other string) (pid string) {
		for {
			if pid = waiting(); pid != "" && pid != other {
				return pid
			}
			select {
			case a := <-answered:
				t.Fatalf("acknowledged without the standby: %v", a)
			case <-t.Context().Done():
				t.Fatal(t.Context().Err())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	first := await("")
	if _, err := primary.Query("SELECT pg_terminate_backend(" + first + ")"); err != nil {
		t.Fatal(err)
	}
	await(first) // the question whether the commit has happened waits as well
	if err := standby.Start(); err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.Code != 0 {
		t.Errorf("%v", a)
	}
	if err := primary.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := standby.Promote(); err != nil {
		t.Fatal(err)
	}
	wantMemos(t, address, map[string]string{"first": "x", "second": "x"})
}
