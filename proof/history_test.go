package proof

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"techo/internal/testenv"
)

// pad is the state of the model: the contents of a few memos, "" for a missing
// one.
type pad [4]string

func padName(n int) string { return fmt.Sprint("memo", n) }

// request is a call of a history.
type request struct {
	does    string // add, edit, get, remove or list
	memo    int
	content string // of add or edit
}

// reply is the answer to a call.
type reply struct {
	unknown bool   // it was killed before it answered
	refused string // code of the error
	content string // of the memo that get found or remove removed
	all     pad    // the result of list
}

// padModel models a store that executes calls one after another. A killed call has
// done all of its work or nothing; the model tries both.
var padModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{pad{}} },
	Step: func(state, input, output any) []any {
		now, in, out := state.(pad), input.(request), output.(reply)
		next, answer := now.step(in)
		switch {
		case out.unknown && next != now:
			return []any{now, next}
		case out.unknown:
			return []any{now}
		case out == answer:
			return []any{next}
		}
		return nil
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
}

// step returns the state after a call, and its answer.
func (p pad) step(in request) (next pad, out reply) {
	is := p[in.memo]
	next = p
	switch {
	case in.does == "list":
		return p, reply{all: p}
	case in.does == "add" && is != "":
		return p, reply{refused: "already_exists"}
	case in.does != "add" && is == "":
		return p, reply{refused: "not_found"}
	case in.does == "get":
		return p, reply{content: is}
	case in.does == "remove":
		next[in.memo] = ""
		return next, reply{content: is}
	}
	next[in.memo] = in.content
	return next, reply{content: in.content}
}

// history records the calls of concurrent clients with their answers and times.
type history struct {
	store string
	began time.Time

	mu  sync.Mutex
	ops []porcupine.Operation
}

func newHistory(t *testing.T) *history {
	return &history{store: filepath.Join(t.TempDir(), "store"), began: time.Now()}
}

func (h *history) now() int64 { return time.Since(h.began).Nanoseconds() }

// note records a call. A killed call ended with its process at the latest: later
// reads see its write or never will.
func (h *history) note(client int, in request, called int64, out reply) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: in, Call: called, Output: out, Return: h.now()})
}

// draw returns a random call. No content is used twice.
func draw(r *rand.Rand, client, n int) request {
	does := []string{"add", "add", "edit", "edit", "get", "get", "remove", "list"}[r.IntN(8)]
	in := request{does: does, memo: r.IntN(len(pad{}))}
	switch does {
	case "add", "edit":
		in.content = fmt.Sprintf("%d.%d", client, n)
	case "list":
		in.memo = 0
	}
	return in
}

// line returns the call as a line of a batch.
func (in request) line(id int) line {
	l := line{Tool: in.does + "_memo", ID: id, Input: map[string]any{}}
	switch in.does {
	case "list":
		return l
	case "add":
		l.Input["name"], l.Input["priority"] = padName(in.memo), 3
	default:
		l.Input["memo_name"] = padName(in.memo)
	}
	if in.content != "" {
		l.Input["content"] = in.content
	}
	return l
}

// answered converts the answer to a call.
func (in request) answered(doc map[string]any) (out reply) {
	if e, ok := doc["error"].(map[string]any); ok {
		out.refused, _ = e["code"].(string)
		return out
	}
	if in.does == "list" {
		memos, _ := doc["memos"].([]any)
		for n := range out.all {
			out.all[n] = contentIn(memos, padName(n))
		}
		return out
	}
	memo, _ := doc["memo"].(map[string]any)
	if in.does == "remove" {
		memo, _ = doc["removed"].(map[string]any)
	}
	out.content, _ = memo["content"].(string)
	return out
}

func contentIn(memos []any, name string) (content string) {
	for _, m := range memos {
		if m := m.(map[string]any); m["name"] == name {
			content, _ = m["content"].(string)
		}
	}
	return content
}

// callOnce makes a call in a new process, and kills it after timeout, unless that
// is 0.
func (h *history) callOnce(t *testing.T, client int, in request, timeout time.Duration) {
	l := in.line(0)
	input, err := json.Marshal(l.Input)
	if err != nil {
		t.Error(err)
		return
	}
	cmd := command(t.Context(), h.store, "call", l.Tool, string(input))
	var out strings.Builder
	cmd.Stdout = &out
	called := h.now()
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	if timeout > 0 {
		defer time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() }).Stop()
	}
	_ = cmd.Wait()
	answer := reply{unknown: true}
	if doc := map[string]any{}; strings.HasSuffix(out.String(), "\n") &&
		json.Unmarshal([]byte(out.String()), &doc) == nil {
		answer = in.answered(doc)
	} else if timeout == 0 {
		t.Errorf("%s %s: %v %s", l.Tool, input, cmd.ProcessState, &out)
	}
	h.note(client, in, called, answer)
}

// callHolder makes a group of calls through a long-lived process, and kills it after
// timeout, unless that is 0.
func (h *history) callHolder(t *testing.T, client int, keeper *holder, group []request, timeout time.Duration) {
	var lines []line
	for i, in := range group {
		lines = append(lines, in.line(i))
	}
	called := h.now()
	if err := keeper.send(lines...); err != nil {
		t.Error(err)
		return
	}
	if timeout > 0 {
		time.AfterFunc(timeout, func() { _ = keeper.Process.Kill() })
	}
	for i, in := range group {
		doc, err := keeper.next()
		if err == nil {
			h.note(client, in, called, in.answered(doc))
			continue
		}
		if timeout == 0 || err != io.EOF {
			t.Errorf("holder: %v %s", err, &keeper.stderr)
		}
		keeper.kill() // it must be gone before open calls are recorded as killed
		for _, in := range group[i:] {
			h.note(client, in, called, reply{unknown: true})
		}
		return
	}
}

// record makes random calls from concurrent clients; every fourth client uses a
// long-lived process. With kills, one call in so many is killed.
func (h *history) record(t *testing.T, seed uint64, clients, calls, kills int) {
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(client)))
			timeout := func() time.Duration {
				if kills == 0 || r.IntN(kills) > 0 {
					return 0
				}
				return time.Duration(r.IntN(40)) * time.Millisecond
			}
			var keeper *holder
			for n := 0; n < calls; n++ {
				if client%4 != 0 {
					h.callOnce(t, client, draw(r, client, n), timeout())
					continue
				}
				if keeper == nil || keeper.ProcessState != nil {
					keeper = startHolder(t, h.store)
				}
				group := []request{draw(r, client, n)}
				for r.IntN(3) > 0 && len(group) < 4 {
					n++
					group = append(group, draw(r, client, n))
				}
				p := timeout()
				if h.callHolder(t, client, keeper, group, p); p > 0 {
					keeper.kill()
				}
			}
		})
	}
	all.Wait()
}

// want checks that the history is linearizable: an order of the calls exists, each
// at some time between its start and its answer, that explains all answers.
func (h *history) want(t *testing.T) {
	t.Helper()
	unknown, refused := 0, 0
	for _, op := range h.ops {
		switch out := op.Output.(reply); {
		case out.unknown:
			unknown++
		case out.refused != "" && out.refused != "not_found" && out.refused != "already_exists":
			t.Errorf("%+v: %s", op.Input, out.refused)
		case out.refused != "":
			refused++
		}
	}
	model := padModel.ToModel()
	started := time.Now()
	result := porcupine.CheckOperationsTimeout(model, h.ops, 2*time.Minute)
	t.Logf("%d calls, %d of them refused and %d killed: %v after %v", len(h.ops), refused, unknown, result,
		time.Since(started).Round(time.Millisecond))
	if result == porcupine.Ok {
		return
	}
	slices.SortFunc(h.ops, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	for _, op := range h.ops {
		t.Logf("%d–%d %v", op.Call/1000, op.Return/1000, model.DescribeOperation(op.Input, op.Output))
	}
	t.Errorf("no order of the calls explains the answers: %v", result)
}

// TestHistory checks that concurrent processes see one store: its history is
// linearizable.
func TestHistory(t *testing.T) { checkHistories(t, 0) }

// TestHistoryKilled is TestHistory with a quarter of the calls killed.
func TestHistoryKilled(t *testing.T) { checkHistories(t, 4) }

// checkHistories records and checks several histories. With kills, one call in
// so many is killed.
func checkHistories(t *testing.T, kills int) {
	t.Helper()
	rounds, calls := testenv.Pick(1, 2), 20
	if testenv.Long() {
		rounds, calls = 30, 60
	}
	r := testenv.Random(t)
	for range rounds {
		h := newHistory(t)
		h.record(t, r.Uint64(), 8, calls, kills)
		h.want(t)
	}
}

// TestHistoryChecker checks that the checker rejects impossible histories.
func TestHistoryChecker(t *testing.T) {
	add := request{does: "add", content: "new"}
	get := request{does: "get"}
	list := request{does: "list"}
	absent := reply{refused: "not_found"}
	dead := reply{unknown: true}
	type step struct {
		in  request
		out reply
	}
	for name, c := range map[string]struct {
		steps []step // one after the other
		want  porcupine.CheckResult
	}{
		"in order": {[]step{{get, absent}, {add, reply{content: "new"}}, {get, reply{content: "new"}}},
			porcupine.Ok},
		"a stale read": {[]step{{add, reply{content: "new"}}, {get, absent}}, porcupine.Illegal},
		"a stale list": {[]step{{add, reply{content: "new"}}, {list, reply{}}}, porcupine.Illegal},
		"a lost edit": {[]step{{add, reply{content: "new"}},
			{request{does: "edit", content: "newer"}, reply{content: "newer"}}, {get, reply{content: "new"}}},
			porcupine.Illegal},
		"a doubled add": {[]step{{add, reply{content: "new"}}, {add, reply{content: "new"}}},
			porcupine.Illegal},
		"removed, and back": {[]step{{add, reply{content: "new"}}, {request{does: "remove"}, reply{content: "new"}},
			{get, reply{content: "new"}}}, porcupine.Illegal},
		"killed, and done":     {[]step{{add, dead}, {get, reply{content: "new"}}}, porcupine.Ok},
		"killed, and not done": {[]step{{add, dead}, {get, absent}}, porcupine.Ok},
		"killed, and done later": {[]step{{add, dead}, {get, absent}, {get, reply{content: "new"}}},
			porcupine.Illegal},
		"killed, done and not done": {[]step{{add, dead}, {get, reply{content: "new"}}, {get, absent}},
			porcupine.Illegal},
	} {
		var ops []porcupine.Operation
		for i, s := range c.steps {
			ops = append(ops, porcupine.Operation{Input: s.in, Output: s.out, Call: int64(2 * i),
				Return: int64(2*i + 1)})
		}
		if got := porcupine.CheckOperationsTimeout(padModel.ToModel(), ops, 0); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestHistorySpoilt falsifies one answer of a real history at a time.
func TestHistorySpoilt(t *testing.T) {
	h := newHistory(t)
	for seed, spoilt := uint64(1), 0; spoilt == 0; seed++ {
		h.record(t, seed, 4, 12, 0)
		h.want(t)
		spoilt = h.spoil(t)
	}
}

// spoil falsifies the answers of get one at a time, and returns their number.
func (h *history) spoil(t *testing.T) (spoilt int) {
	model := padModel.ToModel()
	for i := range h.ops {
		is := h.ops[i].Output.(reply)
		if h.ops[i].Input.(request).does != "get" || is.content == "" {
			continue
		}
		spoilt++
		h.ops[i].Output = reply{content: "never written"}
		if got := porcupine.CheckOperationsTimeout(model, h.ops, 0); got != porcupine.Illegal {
			t.Errorf("call %d was spoilt: %v", i, got)
		}
		h.ops[i].Output = is
	}
	return spoilt
}
