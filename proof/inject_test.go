//go:build linux && amd64

package proof

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"techo/internal/testenv"
)

// The folder of a call contains the store (store), the backup of another store
// (other.backup) and, after a backup, made.backup.

type scene struct {
	name  string
	state string   // of the store, see states
	call  []string // its words; DIR is replaced by the folder
	stdin string

	after func(s *states, done []bool) notes // expected notes if these documents are results
	docs  int                                // documents of a call that succeeds
	reads bool                               // it only reads: a fault does not change its result
}

// states are the stores on which calls are made. The folders are copied for use.
type states struct {
	dir   map[string]string
	notes map[string]notes
	other notes // in other.backup
	extra notes // that scenes add
}

// makeStates makes
//
//	none     no store at all
//	journal  a few memos, never merged
//	due      merged twice, and so much in the journal that the next write merges
//	runs     merged so often that the next merge also makes old tables into one
func makeStates(t *testing.T) *states {
	t.Helper()
	r := testenv.Random(t)
	s := &states{map[string]string{}, map[string]notes{}, notes{}, some(r, "extra", 5)}
	root := t.TempDir()
	backup := filepath.Join(root, "other.backup")
	s.other.write(t, filepath.Join(root, "other"), some(r, "other", 30), false)
	mustTecho(t, filepath.Join(root, "other"), "store", "backup", backup)
	for _, state := range []string{"none", "journal", "due", "runs"} {
		dir := filepath.Join(root, state)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(backup)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "other.backup"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.dir[state], s.notes[state] = dir, notes{}
		store, held := filepath.Join(dir, "store"), s.notes[state]
		switch state {
		case "journal":
			held.write(t, store, some(r, "first", 20), false)
		case "runs":
			for i := range 12 {
				held.write(t, store, notes{fmt.Sprint("run-", i): largeNote(r, 200<<10)}, false)
			}
			held.write(t, store, notes{"run-last": largeNote(r, 200<<10)}, true)
		case "due":
			held.write(t, store, with(some(r, "first", 30), largeNote(r, 200<<10)), false)
			held.write(t, store, notes{"large": largeNote(r, 700<<10)}, false)
			held.write(t, store, with(some(r, "more", 30), largeNote(r, 200<<10)), true)
		}
	}
	return s
}

// largeNote returns a memo with a detail of a given size in bytes, but of few words: its
// size matters, and a check of a large index would take most of the time.
func largeNote(r *rand.Rand, detail int) note {
	n := randomNote(r, 1<<10)
	n.Detail = strings.Repeat(n.Detail, detail/len(n.Detail)+1)
	return n
}

// with adds a large memo to others, so that a merge is due. Its name sorts last.
func with(others notes, large note) notes {
	names := slices.Sorted(maps.Keys(others))
	others[names[len(names)-1]+"-large"] = large
	return others
}

// plus returns the notes of a state and the notes of extra whose documents are
// done.
func (s *states) plus(state string, done []bool) notes {
	all := maps.Clone(s.notes[state])
	for i, name := range slices.Sorted(maps.Keys(s.extra)) {
		if i < len(done) && done[i] {
			all[name] = s.extra[name]
		}
	}
	return all
}

func (s *states) scenes() (all []scene) {
	name := slices.Sorted(maps.Keys(s.extra))[0]
	n := s.extra[name]
	add := []string{"memo", "add", name, n.Content, "--priority", fmt.Sprint(n.Priority), "--detail", n.Detail}
	batch := ""
	for _, name := range slices.Sorted(maps.Keys(s.extra)) {
		batch += s.extra[name].line(name)
	}
	adds := func(state string) func(*states, []bool) notes {
		return func(s *states, done []bool) notes { return s.plus(state, done) }
	}
	stays := func(state string) func(*states, []bool) notes {
		return func(s *states, _ []bool) notes { return s.notes[state] }
	}
	edit := func(s *states, done []bool) notes {
		all := s.plus("journal", nil)
		if done[0] {
			all["first-007"] = note{"edited", all["first-007"].Detail, all["first-007"].Priority}
		}
		return all
	}
	restored := func(s *states, done []bool) notes {
		if done[0] {
			return s.other
		}
		return s.notes["due"]
	}
	return []scene{
		{"add to nothing", "none", add, "", adds("none"), 1, false},
		{"add", "journal", add, "", adds("journal"), 1, false},
		{"add and merge", "due", add, "", adds("due"), 1, false},
		{"add and merge runs", "runs", add, "", adds("runs"), 1, false},
		{"edit", "journal", []string{"memo", "edit", "first-007", "--content", "edited"}, "", edit, 1, false},
		{"batch", "journal", []string{"call", "--batch"}, batch, adds("journal"), len(s.extra), false},
		{"batch and merge", "due", []string{"call", "--batch"}, batch, adds("due"), len(s.extra), false},
		{"compact", "due", []string{"store", "compact"}, "", stays("due"), 1, false},
		{"backup", "due", []string{"store", "backup", "DIR/made.backup"}, "", stays("due"), 1, false},
		{"restore", "due", []string{"store", "restore", "DIR/other.backup", "--force"}, "", restored, 1, false},
		{"list", "due", []string{"memo", "list", "--limit", "1000"}, "", stays("due"), 1, true},
		{"get", "due", []string{"memo", "get", "large"}, "", stays("due"), 1, true},
		{"verify", "due", []string{"store", "verify"}, "", stays("due"), 1, true},
	}
}

// fault is a system call that fails: the nth of its name and, with ever, all after
// it.
type fault struct {
	call  string
	nth   int
	errno syscall.Errno
	ever  bool
}

func (f fault) String() string {
	what := f.errno.Error()
	if f.errno == killed {
		what = "killed"
	}
	if f.ever {
		return fmt.Sprintf("from %s %d on: %s", f.call, f.nth, what)
	}
	return fmt.Sprintf("%s %d: %s", f.call, f.nth, what)
}

// errnos returns the errors with which a system call is made to fail: those that the
// kernel may return and that the program tells apart. After EINTR it must be repeated;
// killed ends the process instead. A kill before a call that changes no file leaves what
// a kill before the next one leaves that does, so it is not tried twice. A kill before
// flock comes after the last change too.
func errnos(call string) []syscall.Errno {
	switch call {
	case "read", "pread64", "getdents64", "fstat", "newfstatat", "statfs", "msync":
		return []syscall.Errno{syscall.EIO}
	case "mmap":
		return []syscall.Errno{syscall.ENOMEM}
	case "openat":
		return []syscall.Errno{syscall.EIO, syscall.EINTR}
	case "flock":
		return []syscall.Errno{syscall.EINTR, syscall.ENOLCK, syscall.EIO, killed}
	case "create", "write", "pwrite64", "fsync", "ftruncate":
		return []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EINTR, killed}
	}
	return []syscall.Errno{syscall.EIO, syscall.ENOSPC, killed}
}

// stage is a scene with everything needed to play it.
type stage struct {
	*states
	scene
	dir   string // new for each play
	plain []byte // the answer without a fault
	tally *tally
}

// played is the outcome of a call with a fault.
type played struct {
	tracedAnswer
	made   map[string]int // system calls by name
	came   int            // how often the fault occurred
	unsafe string         // the file whose sync failed before the answer was written
}

// mustSync reports whether a call makes data durable that an answer promises. Nothing is
// written through mapped memory: Badger calls msync when it closes a table. Key files only
// help a rescue, so a merge goes on without one.
func mustSync(call, path string) bool {
	return (call == "fsync" || call == "fdatasync") && filepath.Ext(path) != ".keys"
}

// act makes the call on a fresh copy of its state, under a tracer.
func (s *stage) act(t *testing.T, r *tracer) (tracedAnswer, error) {
	if err := os.RemoveAll(s.dir); err != nil {
		return tracedAnswer{}, err
	}
	if err := copyTree(s.states.dir[s.state], s.dir); err != nil {
		return tracedAnswer{}, err
	}
	words := slices.Clone(s.call)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "DIR", s.dir)
	}
	r.under = s.dir
	return r.run(t, command(t.Context(), filepath.Join(s.dir, "store"), words...), s.stdin)
}

func (s *stage) play(t *testing.T, f fault) (p played, err error) {
	p.made = map[string]int{}
	r := &tracer{}
	r.decide = func(call, path string) syscall.Errno {
		p.made[call]++
		if call != f.call || p.made[call] < f.nth || p.made[call] > f.nth && !f.ever {
			return 0
		}
		p.came++
		if f.errno != syscall.EINTR && !r.answered && mustSync(call, path) {
			p.unsafe = path
		}
		return f.errno
	}
	p.tracedAnswer, err = s.act(t, r)
	return p, err
}

// try plays a scene with a fault and checks everything. It reports whether the fault
// occurred, and whether another call of its name followed.
func (s *stage) try(t *testing.T, f fault) (came, again bool) {
	p, err := s.play(t, f)
	if err != nil {
		t.Errorf("%s, %v: %v", s.name, f, err)
		return true, false
	}
	if p.came == 0 {
		return false, false
	}
	done, code := s.answers(t, p, f)
	s.tally.note(code, p.Took)
	wrong := s.holds(t, done, f)
	if len(wrong) > 0 {
		t.Errorf("%s, %v: %.2000s\nafter %s", s.name, f, strings.Join(wrong[:min(3, len(wrong))], "\n"), p.brief())
	}
	return true, p.made[f.call] > f.nth
}

// answers checks how the call ended. It returns which of its documents are results,
// and the code of the first error.
func (s *stage) answers(t *testing.T, a played, f fault) (done []bool, code string) {
	done = make([]bool, max(s.docs, len(a.Docs)))
	results := 0
	for i, d := range a.Docs {
		e, failed := d["error"].(map[string]any)
		if done[i] = !failed; done[i] {
			results++
		} else if code == "" {
			code, _ = e["code"].(string)
		}
	}
	wrong := func(what string) { t.Errorf("%s, %v: %s: %s", s.name, f, what, a.brief()) }
	switch {
	case f.errno == killed && a.Signal == syscall.SIGKILL:
		return done, "killed"
	case a.Signal != 0 || unclean(a.Stderr):
		wrong("ended badly")
	case a.Took > 10*time.Second:
		wrong("too slow")
	case len(a.Docs) != s.docs, a.Code == 0 && results < s.docs && s.stdin == "", a.Code != 0 && results == s.docs:
		wrong("document and exit code")
	case f.errno == syscall.EINTR && results < s.docs:
		wrong("not called again")
	case a.unsafe != "" && results == s.docs:
		wrong("a success, though this was not synced: " + a.unsafe)
	case s.reads && results == s.docs && !bytes.Equal(a.Out, s.plain):
		wrong("another answer")
	case code == "corrupt", code != "no_space" && f.errno == syscall.ENOSPC && code != "":
		s.tally.count("odd: " + code + " for " + f.errno.Error() + " of " + f.call)
	}
	if code == "" {
		code = "success"
	}
	return done, code
}

// found returns the notes of a store and its problems. If unsure is set, the write
// of a document without an answer may be there or not.
func (s *stage) found(t *testing.T, store string, done []bool, unsure bool) (notes, []string) {
	want := s.after(s.states, done)
	wrong := want.read(t, store, "").Wrong
	for i := range done {
		if !unsure || done[i] || len(wrong) == 0 {
			continue
		}
		with := slices.Clone(done)
		with[i] = true
		maybe := s.after(s.states, with)
		if l := maybe.read(t, store, ""); len(l.Wrong) < len(wrong) {
			s.tally.count("kept without an answer")
			done, want, wrong = with, maybe, l.Wrong
		}
	}
	return maps.Clone(want), wrong
}

// holds checks the store after a call of which some documents were results, and that
// later calls work.
func (s *stage) holds(t *testing.T, done []bool, f fault) []string {
	store := filepath.Join(s.dir, "store")
	want, wrong := s.found(t, store, done, f.ever || f.errno == killed)
	if a := techo(t, store, "memo", "add", "next", "works", "--priority", "3"); a.Code != 0 {
		return append(wrong, "the next call: "+a.String())
	}
	want["next"] = note{"works", "", 3}
	if a := techo(t, store, "store", "verify"); a.Code != 0 {
		wrong = append(wrong, "verify: "+a.String())
	}
	wrong = append(wrong, want.read(t, store, "").Wrong...)
	return append(wrong, s.litter(t, done[0], f)...)
}

// looks are the calls by which a program finds files that it removes. A result with one
// that failed while the call removed them leaves them for the next call.
var looks = []string{"getdents64", "newfstatat", "fstat", "openat"}

// litter lists unexpected files that a call left beside the store.
func (s *stage) litter(t *testing.T, done bool, f fault) (wrong []string) {
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return []string{err.Error()}
	}
	for _, n := range names {
		switch name := n.Name(); {
		case name == "store", name == "other.backup":
		case strings.HasPrefix(name, "store.before-") && s.name == "restore":
			if done {
				wrong = append(wrong, s.notes["due"].read(t, filepath.Join(s.dir, name), "").Wrong...)
			}
		case name == "made.backup" && s.name == "backup":
			if wrong := s.restores(t, filepath.Join(s.dir, name)); wrong != "" {
				return []string{wrong}
			}
		case f.errno == killed, f.ever, f.call == "unlinkat", done && slices.Contains(looks, f.call):
			s.tally.count("litter: " + strings.TrimRight(name, "0123456789-"))
		default:
			wrong = append(wrong, "left "+name)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "made.backup")); s.name == "backup" && done && err != nil {
		wrong = append(wrong, err.Error())
	}
	return wrong
}

// restores returns the problem of a backup of the state, "" if it is sound.
func (s *stage) restores(t *testing.T, backup string) string {
	store := filepath.Join(s.dir, "restored")
	defer os.RemoveAll(store)
	c := collect(command(t.Context(), store, "store", "restore", backup))
	if c.Code != 0 {
		return c.String()
	}
	return strings.Join(s.notes[s.state].read(t, store, "").Wrong, "\n")
}

// TestInject makes each system call of a call fail in turn: all of them in a long
// run, otherwise a random sample of each scene. Then the call fails at the same place
// and from there on.
func TestInject(t *testing.T) {
	needTracer(t)
	s := makeStates(t)
	r := testenv.Random(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, sc := range s.scenes() {
		t.Run(strings.ReplaceAll(sc.name, " ", "-"), func(t *testing.T) {
			var c tally
			var plain []byte
			play := func(worker int) *stage {
				return &stage{s, sc, filepath.Join(root, fmt.Sprint(i, "-", worker)), plain, &c}
			}
			made := map[string]int{}
			for range 3 { // a batch may be one transaction or two
				p, err := play(0).play(t, fault{})
				if err != nil || p.Code != 0 || len(p.Docs) != sc.docs {
					t.Fatalf("%v: %s", err, p.brief())
				}
				plain = p.Out
				for call, n := range p.made {
					made[call] = max(made[call], n)
				}
			}
			faults := everyFault(made)
			if !testenv.Long() {
				r.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
				faults = faults[:3]
			}
			each(len(faults), func(i int) {
				st := play(i + 1)
				st.tryBoth(t, faults[i])
				_ = os.RemoveAll(st.dir)
			})
			t.Logf("%d faults, system calls %v, came to %v, slowest %v", len(faults), made, c.of,
				c.slowest.Round(time.Millisecond))
		})
	}
}

// everyFault returns the faults for the system calls that a call makes, each once.
func everyFault(made map[string]int) (all []fault) {
	for _, call := range slices.Sorted(maps.Keys(made)) {
		for _, errno := range errnos(call) {
			for n := range made[call] {
				all = append(all, fault{call, n + 1, errno, false})
			}
		}
	}
	return all
}

// tryBoth tries a fault once, and from there on if that differs: after the fault the
// program made another call of that name.
func (s *stage) tryBoth(t *testing.T, f fault) {
	came, again := s.try(t, f)
	if !came {
		s.tally.count("never came")
	}
	if again && f.errno != killed && f.errno != syscall.EINTR {
		f.ever = true
		s.try(t, f)
	}
}
