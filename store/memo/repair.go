package memo

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"techo/internal/sorting"
	"techo/store/ledger"
)

// settle gives a memo that came back another name or no tags if other memos require it: the memo
// changed last keeps its own. It returns the memos in the order of their changes, so that a search
// index has them in this order: of two equal matches, a search shows the later one first.
func settle(_ *ledger.Tx, memos []Memo) (settled []Memo, repairs []ledger.Repair, err error) {
	var counts Counts
	taken, ids := map[string]bool{}, map[string]bool{}
	for _, m := range memos {
		ids[m.ID] = true
	}
	sorting.By(memos, func(a, b Memo) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	for i := range memos {
		m := &memos[i]
		name := unusedName(m.Name, func(name string) bool { return taken[name] || ids[name] && name != m.ID })
		if name != m.Name {
			repairs = append(repairs, ledger.Repair{Action: ledger.Renamed, Kind: ledger.KindMemo, Record: m.Name,
				NewName: name})
			m.Name = name
		}
		taken[name] = true
		counts.add(m, 1)
		if err := tooManyTags(&counts, m); err != nil {
			repairs = append(repairs, ledger.Repair{Action: ledger.Untagged, Kind: ledger.KindMemo, Record: m.Name,
				Reason: err})
			counts.add(m, -1)
			m.Tags = []string{}
			counts.add(m, 1)
		}
	}
	slices.Reverse(memos)
	return memos, repairs, nil
}

// unusedName returns a name or, if it is taken, the name with a number.
func unusedName(name string, taken func(string) bool) string {
	const maxName = 32 // characters
	base, unused := []rune(name), name
	for n := 2; taken(unused); n++ {
		suffix := fmt.Sprintf(" (%d)", n)
		unused = string(base[:min(len(base), maxName-utf8.RuneCountInString(suffix))]) + suffix
	}
	return unused
}
