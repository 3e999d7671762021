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

// pad is a handful of memos: what each says, "" for one that is not there. It
// is the whole state of the model that a store is compared with.
type pad [4]string

func padName(n int) string { return fmt.Sprint("memo", n) }

// asked is one call of a history.
type asked struct {
	does    string // add, edit, get, remove or list
	memo    int
	content string // that add or edit gives
}

// told is what a call was answered.
type told struct {
	unknown bool   // it was killed before it could answer
	refused string // code of the error
	content string // what get found and remove took away
	all     pad    // what list found
}

// padModel models a store that executes one call after the other. A killed call
// did all of its work or nothing: the model tries both.
var padModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{pad{}} },
	Step: func(state, input, output any) []any {
		now, in, out := state.(pad), input.(asked), output.(told)
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

// step is what a call does, and how it is answered.
func (p pad) step(in asked) (next pad, out told) {
	is := p[in.memo]
	next = p
	switch {
	case in.does == "list":
		return p, told{all: p}
	case in.does == "add" && is != "":
		return p, told{refused: "already_exists"}
	case in.does != "add" && is == "":
		return p, told{refused: "not_found"}
	case in.does == "get":
		return p, told{content: is}
	case in.does == "remove":
		next[in.memo] = ""
		return next, told{content: is}
	}
	next[in.memo] = in.content
	return next, told{content: in.content}
}

// history records what concurrent callers asked, and what they were told when.
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

// note records one call. One that was killed ended with its process at the
// latest: after that, what it wrote is there or will never be.
func (h *history) note(client int, in asked, called int64, out told) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: in, Call: called, Output: out, Return: h.now()})
}

// draw chooses a call. Contents are never given twice.
func draw(r *rand.Rand, client, n int) asked {
	does := []string{"add", "add", "edit", "edit", "get", "get", "remove", "list"}[r.IntN(8)]
	in := asked{does: does, memo: r.IntN(len(pad{}))}
	switch does {
	case "add", "edit":
		in.content = fmt.Sprintf("%d.%d", client, n)
	case "list":
		in.memo = 0
	}
	return in
}

// line is the call as a line of a batch.
func (in asked) line(id int) line {
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

// answered reads an answer to a call.
func (in asked) answered(doc map[string]any) (out told) {
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

// callOnce makes a call by a process of its own, which is killed after a while
// when patience is not 0.
func (h *history) callOnce(t *testing.T, client int, in asked, patience time.Duration) {
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
	if patience > 0 {
		defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
	}
	_ = cmd.Wait()
	answer := told{unknown: true}
	if doc := map[string]any{}; strings.HasSuffix(out.String(), "\n") &&
		json.Unmarshal([]byte(out.String()), &doc) == nil {
		answer = in.answered(doc)
	} else if patience == 0 {
		t.Errorf("%s %s: %v %s", l.Tool, input, cmd.ProcessState, &out)
	}
	h.note(client, in, called, answer)
}

// callHolder makes a group of calls by a process that stays, or is killed after
// a while when patience is not 0.
func (h *history) callHolder(t *testing.T, client int, keeper *holder, group []asked, patience time.Duration) {
	var lines []line
	for i, in := range group {
		lines = append(lines, in.line(i))
	}
	called := h.now()
	if err := keeper.send(lines...); err != nil {
		t.Error(err)
		return
	}
	if patience > 0 {
		time.AfterFunc(patience, func() { _ = keeper.Process.Kill() })
	}
	for i, in := range group {
		doc, err := keeper.next()
		if err == nil {
			h.note(client, in, called, in.answered(doc))
			continue
		}
		if patience == 0 || err != io.EOF {
			t.Errorf("holder: %v %s", err, &keeper.stderr)
		}
		keeper.kill() // it is gone before the outcome of what is left is fixed
		for _, in := range group[i:] {
			h.note(client, in, called, told{unknown: true})
		}
		return
	}
}

// record lets clients call at random, every fourth by processes that stay.
// With kills, one call in so many is killed in the middle.
func (h *history) record(t *testing.T, seed uint64, clients, calls, kills int) {
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(client)))
			patience := func() time.Duration {
				if kills == 0 || r.IntN(kills) > 0 {
					return 0
				}
				return time.Duration(r.IntN(40)) * time.Millisecond
			}
			var keeper *holder
			for n := 0; n < calls; n++ {
				if client%4 != 0 {
					h.callOnce(t, client, draw(r, client, n), patience())
					continue
				}
				if keeper == nil || keeper.ProcessState != nil {
					keeper = startHolder(t, h.store)
				}
				group := []asked{draw(r, client, n)}
				for r.IntN(3) > 0 && len(group) < 4 {
					n++
					group = append(group, draw(r, client, n))
				}
				p := patience()
				if h.callHolder(t, client, keeper, group, p); p > 0 {
					keeper.kill()
				}
			}
		})
	}
	all.Wait()
}

// want checks that there is an order of the calls, each somewhere between its
// question and its answer, in which one after the other would have given the
// same answers.
func (h *history) want(t *testing.T) {
	t.Helper()
	unknown, refused := 0, 0
	for _, op := range h.ops {
		switch out := op.Output.(told); {
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
	rounds, calls := 2, 20
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

// TestHistoryChecker proves that the checker refuses what no store may do.
func TestHistoryChecker(t *testing.T) {
	add := asked{does: "add", content: "new"}
	get := asked{does: "get"}
	list := asked{does: "list"}
	absent := told{refused: "not_found"}
	dead := told{unknown: true}
	type step struct {
		in  asked
		out told
	}
	for name, c := range map[string]struct {
		steps []step // one after the other
		want  porcupine.CheckResult
	}{
		"in order": {[]step{{get, absent}, {add, told{content: "new"}}, {get, told{content: "new"}}},
			porcupine.Ok},
		"a stale read": {[]step{{add, told{content: "new"}}, {get, absent}}, porcupine.Illegal},
		"a stale list": {[]step{{add, told{content: "new"}}, {list, told{}}}, porcupine.Illegal},
		"a lost edit": {[]step{{add, told{content: "new"}},
			{asked{does: "edit", content: "newer"}, told{content: "newer"}}, {get, told{content: "new"}}},
			porcupine.Illegal},
		"a doubled add": {[]step{{add, told{content: "new"}}, {add, told{content: "new"}}},
			porcupine.Illegal},
		"removed, and back": {[]step{{add, told{content: "new"}}, {asked{does: "remove"}, told{content: "new"}},
			{get, told{content: "new"}}}, porcupine.Illegal},
		"killed, and done":     {[]step{{add, dead}, {get, told{content: "new"}}}, porcupine.Ok},
		"killed, and not done": {[]step{{add, dead}, {get, absent}}, porcupine.Ok},
		"killed, and done later": {[]step{{add, dead}, {get, absent}, {get, told{content: "new"}}},
			porcupine.Illegal},
		"killed, done and not done": {[]step{{add, dead}, {get, told{content: "new"}}, {get, absent}},
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

// TestHistorySpoilt spoils one answer of a real history at a time.
func TestHistorySpoilt(t *testing.T) {
	h := newHistory(t)
	for seed, spoilt := uint64(1), 0; spoilt == 0; seed++ {
		h.record(t, seed, 4, 12, 0)
		h.want(t)
		spoilt = h.spoil(t)
	}
}

// spoil changes what one get found after the other, and returns how many.
func (h *history) spoil(t *testing.T) (spoilt int) {
	model := padModel.ToModel()
	for i := range h.ops {
		is := h.ops[i].Output.(told)
		if h.ops[i].Input.(asked).does != "get" || is.content == "" {
			continue
		}
		spoilt++
		h.ops[i].Output = told{content: "never written"}
		if got := porcupine.CheckOperationsTimeout(model, h.ops, 0); got != porcupine.Illegal {
			t.Errorf("call %d was spoilt: %v", i, got)
		}
		h.ops[i].Output = is
	}
	return spoilt
}
