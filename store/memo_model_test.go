package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/testenv"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/space"
)

// memoModel is the slower way: a list of memos, searched from end to end.
type memoModel []memo.Memo

func (l memoModel) find(name string) int {
	name = norm.NFC.String(name)
	if i := slices.IndexFunc(l, func(m memo.Memo) bool { return m.Name == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(l, func(m memo.Memo) bool { return m.ID == name })
}

// refuses returns the error that putting m in the place of l[at] should give;
// at is -1 for a new memo.
func (l memoModel) refuses(m memo.Memo, at int) error {
	for i, other := range l {
		if i != at && (m.Name == other.Name || m.Name == other.ID) {
			return &ledger.TakenError{Kind: "memo", Name: m.Name}
		}
	}
	if len(m.Tags) > 3 {
		return &ledger.LimitError{What: "tags", Max: 3, Got: len(m.Tags)}
	}
	kinds := slices.Clone(m.Tags)
	for i, other := range l {
		if i != at {
			kinds = append(kinds, other.Tags...)
		}
	}
	slices.Sort(kinds)
	if kinds = slices.Compact(kinds); len(kinds) > 20 {
		return &ledger.LimitError{What: "different tags", Max: 20, Got: len(kinds)}
	}
	return nil
}

func byRank(a, b memo.Memo) int {
	if a.Priority != b.Priority {
		return b.Priority - a.Priority
	}
	return byLatest(a, b)
}

func byLatest(a, b memo.Memo) int {
	if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

func (l memoModel) list(tag string) memoModel {
	var some memoModel
	for _, m := range l {
		if tag == "" || slices.Contains(m.Tags, norm.NFC.String(tag)) {
			some = append(some, m)
		}
	}
	slices.SortFunc(some, byRank)
	return some
}

func (l memoModel) page(offset, limit int) memoModel {
	offset = min(offset, len(l))
	return l[offset:min(offset+limit, len(l))]
}

func (l memoModel) tags() (tags []memo.TagCount) {
	for _, m := range l {
		for _, t := range m.Tags {
			i := slices.IndexFunc(tags, func(c memo.TagCount) bool { return c.Tag == t })
			if i < 0 {
				i, tags = len(tags), append(tags, memo.TagCount{Tag: t, LatestUpdatedAt: m.UpdatedAt})
			}
			tags[i].Count++
			if m.UpdatedAt.After(tags[i].LatestUpdatedAt) {
				tags[i].LatestUpdatedAt = m.UpdatedAt
			}
		}
	}
	slices.SortFunc(tags, func(a, b memo.TagCount) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		if c := b.LatestUpdatedAt.Compare(a.LatestUpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Tag, b.Tag)
	})
	return tags
}

func (l memoModel) important(most, recent int) (top, latest memoModel, omitted int) {
	for _, m := range l.list("") {
		if m.Priority < 4 {
			continue
		}
		if len(top) < most {
			top = append(top, m)
		} else {
			omitted++
		}
	}
	rest := slices.Clone(l)
	slices.SortFunc(rest, byLatest)
	for _, m := range rest {
		shown := slices.ContainsFunc(top, func(o memo.Memo) bool { return o.ID == m.ID })
		if !shown && len(latest) < recent {
			latest = append(latest, m)
		}
	}
	return top, latest, omitted
}

// memoRun is one run of random steps, in a store and in the model.
type memoRun struct {
	t     *testing.T
	r     *rand.Rand
	dir   string
	s     *Store
	model memoModel
	now   time.Time
	last  time.Time      // of the last change
	seen  map[string]int // errors, by type or limit
}

// open opens the store anew. Its clock stands still, goes back or jumps, and
// shows more than is kept.
func (u *memoRun) open() {
	if u.s != nil {
		if err := u.s.Close(); err != nil {
			u.t.Fatal(err)
		}
	}
	u.s = open(u.t, u.dir, Options{Write: true, Now: func() time.Time { return u.now }})
}

// name picks one of few names, each in two spellings of the same text, or one
// that some memo has for its id.
func (u *memoRun) name() string {
	if len(u.model) > 0 && u.r.IntN(8) == 0 {
		return u.model[u.r.IntN(len(u.model))].ID
	}
	names := []string{"a", "b", "ab", "aé", "é", "が", "パン", "ö", "a\x00", "手帳", "c", "d", "e", "f",
		"가", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"}
	return u.spell(names[u.r.IntN(len(names))])
}

func (u *memoRun) spell(text string) string {
	if u.r.IntN(2) == 0 {
		return norm.NFD.String(text)
	}
	return text
}

func (u *memoRun) tags() []string {
	tags := []string{}
	for range []int{0, 1, 1, 2, 2, 3, 3, 3, 4, 4}[u.r.IntN(10)] {
		tags = append(tags, u.tag())
	}
	return tags
}

func (u *memoRun) tag() string {
	return u.spell([]string{"é", "éa", "が", "t", "T"}[u.r.IntN(5)] +
		[]string{"", "a", "é", "\x00", "ぱ", "12"}[u.r.IntN(6)])
}

func tidied(tags []string) []string {
	tidy := []string{}
	for _, t := range tags {
		if t = norm.NFC.String(t); !slices.Contains(tidy, t) {
			tidy = append(tidy, t)
		}
	}
	return tidy
}

// wantError fails unless both errors say the same.
func (u *memoRun) wantError(what string, got, want error) {
	u.t.Helper()
	if fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", want, want) {
		u.t.Fatalf("%s: error %v, want %v", what, got, want)
	}
	if limit := (*ledger.LimitError)(nil); errors.As(want, &limit) {
		u.seen[limit.What]++
	} else if want != nil {
		u.seen[fmt.Sprintf("%T", want)]++
	}
}

func (u *memoRun) kept() time.Time { return time.UnixMilli(u.now.UnixMilli()) }

// changed is the time of a change: not a moment before the latest one.
func (u *memoRun) changed() time.Time {
	if now := u.kept(); !u.last.After(now) || u.last.Sub(now) > time.Second {
		return now
	}
	return u.last.Add(time.Millisecond)
}

func (u *memoRun) add(ctx context.Context) {
	m := memo.Memo{Name: u.name(), Content: fmt.Sprint(u.r.IntN(100)), Priority: 1 + u.r.IntN(5), Tags: u.tags(),
		Detail: u.spell("é")}
	got, err := u.s.AddMemo(ctx, m)
	m.Name, m.Tags, m.CreatedAt, m.UpdatedAt = norm.NFC.String(m.Name), tidied(m.Tags), u.kept(), u.changed()
	want := u.model.refuses(m, -1)
	u.wantError("add "+m.Name, err, want)
	if want != nil {
		return
	}
	m.ID = got.ID
	if !sameMemo(got, m) || m.ID == "" || u.model.find(m.ID) >= 0 {
		u.t.Fatalf("added %+v, want %+v with a new id", got, m)
	}
	u.model, u.last = append(u.model, m), later(u.last, m.UpdatedAt)
}

func (u *memoRun) edit(ctx context.Context) {
	name := u.name()
	var c memo.Change
	at := u.model.find(name)
	var m memo.Memo
	if at >= 0 {
		m = u.model[at]
	}
	if u.r.IntN(3) == 0 {
		n := u.name()
		c.Name, m.Name = &n, norm.NFC.String(n)
	}
	if u.r.IntN(3) == 0 {
		p := 1 + u.r.IntN(5)
		c.Priority, m.Priority = &p, p
	}
	if u.r.IntN(3) == 0 {
		c.Tags = u.tags()
		m.Tags = tidied(c.Tags)
	}
	if u.r.IntN(3) == 0 {
		text := []string{"", "other"}[u.r.IntN(2)]
		c.Content, c.Detail, m.Content, m.Detail = &text, &text, text, text
	}
	got, err := u.s.EditMemo(ctx, name, c)
	if at < 0 {
		u.wantError("edit "+name, err, &ledger.NotFoundError{Kind: ledger.KindMemo, Name: norm.NFC.String(name)})
		return
	}
	same := sameMemo(m, u.model[at])
	if !same {
		m.UpdatedAt = u.changed()
	}
	want := u.model.refuses(m, at)
	u.wantError("edit "+name, err, want)
	if want != nil {
		return
	}
	if !sameMemo(got, m) {
		u.t.Fatalf("edited to %+v, want %+v", got, m)
	}
	if !same {
		u.model[at], u.last = m, later(u.last, m.UpdatedAt)
	}
}

func (u *memoRun) remove(ctx context.Context) {
	name := u.name()
	got, err := u.s.RemoveMemo(ctx, name)
	at := u.model.find(name)
	if at < 0 {
		u.wantError("remove "+name, err, &ledger.NotFoundError{Kind: ledger.KindMemo, Name: norm.NFC.String(name)})
		return
	}
	if err != nil || !sameMemo(got, u.model[at]) {
		u.t.Fatalf("removed %+v, %v, want %+v", got, err, u.model[at])
	}
	u.model = slices.Delete(u.model, at, at+1)
}

func (u *memoRun) compare(ctx context.Context) {
	u.t.Helper()
	for _, tag := range []string{"", u.tag(), u.tag(), "unknown"} {
		f := memo.Filter{Tag: tag, Offset: u.r.IntN(5), Limit: u.r.IntN(8)}
		if u.r.IntN(2) == 0 {
			f.Offset, f.Limit = 0, 1000
		}
		all := u.model.list(tag)
		got, total, err := u.s.FindMemos(ctx, f)
		if want := all.page(f.Offset, f.Limit); err != nil || total != len(all) ||
			!slices.EqualFunc(got, want, sameMemo) {
			u.t.Fatalf("list %+v: %v, %d of %d, %v, want %v", f, got, total, len(all), err, want)
		}
	}
	tags, err := u.s.MemoTags(ctx)
	if want := u.model.tags(); err != nil || !slices.EqualFunc(tags, want, sameTag) {
		u.t.Fatalf("tags: %v, %v, want %v", tags, err, want)
	}
	most, recent := u.r.IntN(8), u.r.IntN(8)
	all, err := memo.Important(ctx, u.s.Ledger, space.Sources{Own: true}, most, recent)
	wantTop, wantLatest, wantOmitted := u.model.important(most, recent)
	if err != nil || len(all) != 1 {
		u.t.Fatalf("important %d %d: %+v, %v", most, recent, all, err)
	}
	if got := all[0]; got.Omitted != wantOmitted || !slices.EqualFunc(got.Top, wantTop, sameMemo) ||
		!slices.EqualFunc(got.Latest, wantLatest, sameMemo) {
		u.t.Fatalf("important %d %d: %+v, %v, want %v, %v, %d", most, recent, got, err, wantTop,
			wantLatest, wantOmitted)
	}
	for _, m := range u.model {
		for _, name := range []string{m.Name, norm.NFD.String(m.Name), m.ID} {
			if got, err := u.s.GetMemo(ctx, name); err != nil || !sameMemo(got, m) {
				u.t.Fatalf("get %q: %+v, %v, want %+v", name, got, err, m)
			}
		}
	}
	if name := u.name(); u.model.find(name) < 0 {
		if _, err := u.s.GetMemo(ctx, name); !errors.As(err, new(*ledger.NotFoundError)) {
			u.t.Fatalf("get %q: %v", name, err)
		}
	}
}

func (u *memoRun) step(ctx context.Context) {
	switch u.r.IntN(4) {
	case 0:
		u.now = u.now.Add(time.Duration(u.r.Int64N(int64(time.Hour))))
	case 1:
		u.now = u.now.Add(-time.Duration(u.r.Int64N(int64(time.Second))))
	case 2:
		if u.r.IntN(20) == 0 { // a clock that is years wrong, and is put right
			u.now = u.now.AddDate(10-20*u.r.IntN(2), 0, 0)
		}
	}
	switch n := u.r.IntN(10); {
	case n < 6:
		u.add(ctx)
	case n < 9:
		u.edit(ctx)
	default:
		u.remove(ctx)
	}
}

// TestMemoModel changes memos at random and compares the results with the model at
// every step.
func TestMemoModel(t *testing.T) {
	t.Parallel()
	u := &memoRun{t: t, r: testenv.Random(t), dir: newPlace(t), seen: map[string]int{}}
	u.now = time.Date(1969, 12, 31, 3, 0, 0, 987_654_321, time.FixedZone("east", 9*3600))
	u.open()
	t.Cleanup(func() { u.s.Close() })
	ctx := context.Background()
	for n := range testenv.Pick(300, 600) {
		if n%40 == 39 {
			if err := u.s.Group(ctx, func(ctx context.Context) error {
				for range 5 {
					u.step(ctx)
					u.compare(ctx)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		u.step(ctx)
		u.compare(ctx)
		if n%50 == 0 {
			u.open()
		}
		if n%100 == 0 {
			if err := u.s.Compact(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := u.s.Verify(ctx, VerifyOptions{}); err != nil || r.Counts["memos"] != len(u.model) {
			t.Fatalf("%+v, %v, want %d memos", r, err, len(u.model))
		}
	}
	t.Logf("errors met: %v", u.seen)
	if len(u.seen) < 4 {
		t.Error("the run has not met every error")
	}
}
