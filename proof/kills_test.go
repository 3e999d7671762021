package proof

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/internal/testenv/winetest"
)

// atOnce limits the duration of the call after a kill. A dead process holds no lock,
// so only a busy machine delays that call.
const atOnce = 20 * time.Second

// killing kills processes at random moments.
type killing struct {
	store  string
	random *rand.Rand
	kills  int
	early  int           // processes that had ended before their kill
	usual  time.Duration // duration of an undisturbed process
	pause  time.Duration // the longest wait for the call after a kill
}

func newKilling(t *testing.T) *killing {
	k := &killing{store: filepath.Join(t.TempDir(), "store"), random: testenv.Random(t)}
	t.Cleanup(func() {
		t.Logf("%d kills, %d came too late; the call after one took %v at most", k.kills, k.early,
			k.pause.Round(time.Millisecond))
	})
	return k
}

// rounds repeats round until few processes were killed: a quarter of few in an
// ordinary run, many in a long one.
func (k *killing) rounds(t *testing.T, few, many int, round func(n int)) {
	want := testenv.Pick((few+3)/4, few)
	if testenv.Long() {
		want = many
	}
	for n := 0; k.kills < want && !t.Failed() && t.Context().Err() == nil; n++ {
		if n > 20*want {
			t.Fatalf("only %d of %d were killed in time", k.kills, n)
		}
		round(n)
	}
}

// record records the duration of an undisturbed process, so that kills can hit any
// part of it.
func (k *killing) record(took time.Duration) {
	if k.usual = (k.usual*3 + took) / 4; k.usual == 0 {
		k.usual = took
	}
}

// moment returns a random time of a kill: during the usual duration or shortly after
// it.
func (k *killing) moment() time.Duration {
	return time.Duration(k.random.Int64N(int64(k.usual)*5/4 + 1))
}

// strike runs a process and kills it unless it ends before. It returns its stdout
// and whether it was killed.
func (k *killing) strike(t *testing.T, c *exec.Cmd) (out string, killed bool) {
	t.Helper()
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	started := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	death := time.AfterFunc(k.moment(), func() { _ = c.Process.Kill() })
	_ = c.Wait()
	death.Stop()
	if c.ProcessState.ExitCode() < 0 {
		k.kills++
		k.usual += k.usual / 20 // so that kills also hit the end of slower runs
	} else {
		k.early++
		k.record(time.Since(started))
	}
	if stderr.Len() > 0 && !wineEnded(stderr.String()) {
		t.Errorf("%v: %s", c.Args, &stderr)
	}
	return stdout.String(), c.ProcessState.ExitCode() < 0
}

// after makes the call after a kill, which must succeed without delay. A call that Wine ends, since it
// has lost its server, is another kill.
func (k *killing) after(t *testing.T, args ...string) answer {
	t.Helper()
	return k.afterIn(t, k.store, args...)
}

// wineEnded reports whether Wine ended a program, since that lost its server.
func wineEnded(stderr string) bool {
	return winetest.On() && strings.Contains(stderr, "wine client error")
}

// afterIn is after with a store of its own.
func (k *killing) afterIn(t *testing.T, store string, args ...string) answer {
	t.Helper()
	a := techo(t, store, args...)
	for n := 0; n < 3 && wineEnded(a.Stderr); n++ {
		t.Logf("Wine ended a call: %v", a)
		a = techo(t, store, args...)
	}
	if a.Code != 0 {
		t.Fatalf("%v", a)
	}
	k.pause = max(k.pause, a.Took)
	if a.Took > atOnce {
		t.Errorf("took too long: %v", a)
	}
	return a
}

// version is the state of a memo after its n-th change. All parts contain n.
type version struct{ content, detail, tag string }

func versionOf(n int) version {
	return version{fmt.Sprintf("content %d", n), strings.Repeat(fmt.Sprintf("detail %d. ", n), n%400),
		fmt.Sprintf("tag-%d", n%7)}
}

func (v version) flags() []string {
	return []string{"--content", v.content, "--detail", v.detail, "--tag", v.tag, "--priority", "2"}
}

// versionIn returns the state of a memo. A missing part means a torn write.
func versionIn(doc map[string]any) version {
	memo, _ := doc["memo"].(map[string]any)
	content, _ := memo["content"].(string)
	detail, _ := memo["detail"].(string)
	tags, _ := memo["tags"].([]any)
	return version{content, detail, strings.Trim(fmt.Sprint(tags), "[]")}
}

// TestKillCalls kills calls that change a memo and its indexes. The memo is in the
// old or the new state, never in a mixture; an answered call is never undone; and an
// add that is repeated with its key is done once.
func TestKillCalls(t *testing.T) {
	k := newKilling(t)
	k.record(mustTecho(t, k.store, "memo", "add", "one", "content 0", "--priority", "2").Took)
	mustTecho(t, k.store, append([]string{"memo", "edit", "one"}, versionOf(0).flags()...)...)
	now, want := versionOf(0), map[string]string{}
	k.rounds(t, 60, 800, func(n int) {
		if n%2 == 0 {
			now = k.edit(t, n, now)
		} else {
			k.add(t, n, want)
		}
		if n%25 == 24 {
			want["one"] = now.content
			k.wantStore(t, want)
			delete(want, "one")
		}
	})
}

// edit kills a call that changes every part of the memo, and returns the resulting
// state.
func (k *killing) edit(t *testing.T, n int, now version) version {
	next := versionOf(n)
	out, _ := k.strike(t, command(t.Context(), k.store, append([]string{"memo", "edit", "one"}, next.flags()...)...))
	got := versionIn(k.after(t, "memo", "get", "one").Doc)
	if got != next && (got != now || strings.Contains(out, "\n")) {
		t.Errorf("change %d, answered %q: the memo is %.90q, was %.90q", n, out, got, now)
	}
	if listed := k.after(t, "memo", "list", "--tag", got.tag).Doc["total"]; listed != 1.0 {
		t.Errorf("change %d: %v memos with the memo's tag", n, listed)
	}
	return got
}

// add kills a call that adds a memo, and repeats it with the same key.
func (k *killing) add(t *testing.T, n int, want map[string]string) {
	name := fmt.Sprintf("memo-%d", n)
	args := []string{"memo", "add", name, "content", "--priority", "3", "--idempotency-key", name}
	first, _ := k.strike(t, command(t.Context(), k.store, args...))
	again := k.after(t, args...)
	if first != "" && first != string(again.Out) {
		t.Errorf("the same key gave %q, then %q", first, again.Out)
	}
	want[name] = "content"
}

func (k *killing) wantStore(t *testing.T, want map[string]string) {
	t.Helper()
	k.after(t, "store", "verify")
	wantMemos(t, k.store, want)
}

// TestKillHolder kills a process during groups of calls. The store then has a prefix
// of the group, each call complete, including all answered ones. A group that is
// repeated with its keys is done once.
func TestKillHolder(t *testing.T) {
	k := newKilling(t)
	k.usual = 30 * time.Millisecond
	want, dir := map[string]string{}, k.store
	k.rounds(t, 40, 500, func(n int) {
		if n%50 == 0 { // a new store: checks of a growing one take longer
			clear(want)
			k.store = fmt.Sprint(dir, n)
		}
		group := make([]line, 1+k.random.IntN(60))
		for i := range group {
			name := fmt.Sprintf("memo-%d-%d", n, i)
			group[i] = adding(i, name, "content")
			group[i].Input["detail"] = strings.Repeat("x", k.random.IntN(3000))
			group[i].Key = name
			want[name] = "content"
		}
		k.wantPrefix(t, group, k.killGroup(t, group))
		h := startHolder(t, k.store)
		if err := h.send(group...); err != nil {
			t.Fatal(err)
		}
		for range group {
			if doc, err := h.next(); err != nil || doc["error"] != nil {
				t.Fatalf("asked again: %v %v", doc, err)
			}
		}
		h.finish(t)
		if n%10 == 9 {
			k.wantStore(t, want)
		}
	})
	k.wantStore(t, want)
}

// killGroup sends a group to a new holder and kills it. It returns the number of
// answers.
func (k *killing) killGroup(t *testing.T, group []line) (answered int) {
	h := startHolder(t, k.store)
	started := time.Now()
	if err := h.send(group...); err != nil {
		t.Fatal(err)
	}
	death := time.AfterFunc(k.moment(), func() { _ = h.Process.Kill() })
	for answered < len(group) {
		doc, err := h.next()
		if err != nil {
			break
		}
		if doc["error"] != nil {
			t.Errorf("%v", doc)
		}
		answered++
	}
	if death.Stop() {
		k.early++
		k.record(time.Since(started))
		h.finish(t)
		return answered
	}
	_ = h.Wait()
	k.kills++
	return answered
}

// wantPrefix checks that a prefix of the group was done, at least the answered
// calls.
func (k *killing) wantPrefix(t *testing.T, group []line, answered int) {
	t.Helper()
	k.after(t, "memo", "tags")
	got := contentsOf(t, k.store)
	done := 0
	for i, l := range group {
		if _, ok := got[l.Input["name"].(string)]; !ok {
			continue
		}
		if done++; done != i+1 {
			t.Errorf("call %d of a group was done, and one before it was not", i)
		}
	}
	if done < answered {
		t.Errorf("%d calls were answered, %d are there", answered, done)
	}
}
