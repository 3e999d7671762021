package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"techo/store/ledger"
	"techo/store/memo"
)

// TestRenameMemoTag renames a tag to a new one, then to one in use, and checks
// the lists, the counts and the order.
func TestRenameMemoTag(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	for i, tags := range [][]string{{"a", "b"}, {"a"}, {"b"}} {
		if _, err := s.AddMemo(ctx, memo.Memo{Name: fmt.Sprint("m", i), Content: "x", Priority: 3,
			Tags: tags}); err != nil {
			t.Fatal(err)
		}
	}
	rename := func(from, to string, want int) {
		t.Helper()
		if n, err := s.RenameMemoTag(ctx, from, to); err != nil || n != want {
			t.Fatalf("%s to %s: %d, %v, want %d", from, to, n, err, want)
		}
	}
	check := func(want string) {
		t.Helper()
		memos, _, err := s.FindMemos(ctx, memo.Filter{Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, m := range memos {
			got += fmt.Sprint(m.Name, m.Tags, " ")
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if _, err := s.Verify(ctx, VerifyOptions{}); err != nil {
			t.Error(err)
		}
	}
	rename("a", "a", 2)
	rename("a", "new", 2)
	check("m1[new] m0[new b] m2[b] ")
	rename("new", "b", 2)
	check("m1[b] m0[b] m2[b] ")
	tags, err := s.MemoTags(ctx)
	if err != nil || len(tags) != 1 || tags[0].Count != 3 {
		t.Errorf("%v %v", tags, err)
	}
	missing := new(ledger.NotFoundError)
	if _, err := s.RenameMemoTag(ctx, "bb", "c"); !errors.As(err, &missing) || missing.Kind != ledger.KindTag ||
		!slices.Equal(missing.Near, []string{"b"}) {
		t.Errorf("%v %+v", err, missing)
	}
}

// TestRenameMemoTagAtLimit renames a tag of several memos when there are as many tags as there may be.
func TestRenameMemoTagAtLimit(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	for i := range memo.MaxDistinctTags {
		for _, name := range []string{"one", "two"} {
			if _, err := s.AddMemo(ctx, memo.Memo{Name: fmt.Sprint(name, i), Content: "x", Priority: 3,
				Tags: []string{fmt.Sprint("tag", i)}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n, err := s.RenameMemoTag(ctx, "tag3", "other"); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := s.Verify(ctx, VerifyOptions{}); err != nil {
		t.Error(err)
	}
}
