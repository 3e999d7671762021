package pattern

import (
	"bytes"
	"math/bits"
	"slices"
)

// finder searches a text for the runs of a plan. It compares only a few bytes of
// each run, the rarest ones, so a candidate still has to be verified.
type finder struct {
	runs    []placed
	pair    *pair   // for a single literal
	buckets *tables // for everything else
}

// placed is a run with the offset of its window.
type placed struct {
	run
	start  int
	bucket uint8
}

func newFinder(p plan) *finder {
	f, runs := &finder{}, p.runs
	for _, r := range runs {
		start, _ := r.window(p.window)
		f.runs = append(f.runs, placed{run: r, start: start})
	}
	if len(runs) == 1 && runs[0].plain() {
		f.pair = newPair(runs[0])
		f.runs[0].start = f.pair.first
		return f
	}
	f.buckets = newTables(f.runs, p.window)
	return f
}

// plain reports whether every set of the run is a single byte.
func (r run) plain() bool {
	return !slices.ContainsFunc(r.sets, func(s set) bool { return s.size() != 1 })
}

// candidate returns the first candidate in b at or after from, or -1. The result
// is an offset within a run, not the start of the run.
func (f *finder) candidate(b []byte, from int) int {
	if f.pair != nil {
		return f.pair.find(b, from)
	}
	return f.buckets.find(b, from)
}

// holds verifies a candidate and returns the start of the run. open is set if the
// run matched only the beginning of what it stands for.
func (f *finder) holds(b []byte, at int) (start int, open, ok bool) {
	mask := uint8(1)
	if f.buckets != nil {
		mask = f.buckets.mask(b, at)
	}
	for i := range f.runs {
		r := &f.runs[i]
		if mask&r.bucket == 0 && f.buckets != nil || at < r.start {
			continue
		}
		if r.matches(b[at-r.start:]) {
			if !r.open {
				return at - r.start, false, true
			}
			start, open, ok = at-r.start, true, true
		}
	}
	return start, open, ok
}

// pair is the two rarest bytes of a literal, the rarer one first.
type pair struct {
	a, b     byte
	first    int // offset of a in the literal
	distance int // from a to b; may be negative
}

// maxDistance is the largest distance of the two bytes of a pair.
const maxDistance = 64

func newPair(r run) *pair {
	rarest := func(skip int) int {
		best := -1
		for i := range r.sets {
			near := skip < 0 || i != skip && abs(i-skip) <= maxDistance
			if near && (best < 0 || r.sets[i].frequency() < r.sets[best].frequency()) {
				best = i
			}
		}
		return best
	}
	first := rarest(-1)
	second := rarest(first)
	if second < 0 {
		second = first
	}
	return &pair{r.sets[first].only(), r.sets[second].only(), first, second - first}
}

func abs(n int) int { return max(n, -n) }

// find returns the first offset of a that has b at the right distance, or -1.
func (p *pair) find(text []byte, from int) int {
	i := from + max(0, -p.distance) // b must not be before the text
	if hasVectors && i < len(text) {
		n := (len(text) - i - max(0, p.distance)) &^ (vector - 1)
		if n > 0 {
			if at := findPair(&text[i], n, p.a, p.b, p.distance); at >= 0 {
				return i + at
			}
			i += n
		}
	}
	return p.findPlain(text, i)
}

// findPlain is find without vector instructions.
func (p *pair) findPlain(text []byte, from int) int {
	for i := from; i < len(text); i++ {
		at := bytes.IndexByte(text[i:], p.a)
		if at < 0 {
			return -1
		}
		i += at
		if j := i + p.distance; j >= 0 && j < len(text) && text[j] == p.b {
			return i
		}
	}
	return -1
}

// tables implement the Teddy algorithm of Hyperscan, with byte sets instead of
// bytes. Runs are grouped into eight buckets, one bit each. For each byte of the
// window, and for each nibble of that byte, the tables hold the buckets that the
// nibble is compatible with. A position is a candidate if a bucket remains after
// all bytes of the window.
type tables struct {
	low, high [maxWindow][16]byte
	full      [maxWindow][256]byte // both nibbles combined
	ends      [maxWindow + 1]byte  // buckets whose runs end before this byte
	n         int                  // bytes of the window: 2 to 4, or 8
}

func newTables(runs []placed, most int) *tables {
	t := &tables{}
	slices.SortStableFunc(runs, func(a, b placed) int { // similar runs share a bucket
		return compareSets(a.sets[a.start:], b.sets[b.start:])
	})
	for i := range runs {
		r := &runs[i]
		r.bucket = 1 << (i * 8 / max(len(runs), 8))
		t.n = max(t.n, min(len(r.sets)-r.start, most))
	}
	if t.n = max(t.n, 2); t.n > shortWindow {
		t.n = maxWindow
	}
	for _, r := range runs {
		for i := range t.n {
			if at := r.start + i; at < len(r.sets) {
				t.addSet(i, r.sets[at], r.bucket)
			} else {
				t.addAll(i, r.bucket)
			}
		}
		for i := min(len(r.sets)-r.start, t.n); i <= t.n; i++ {
			t.ends[i] |= r.bucket
		}
	}
	for i := range t.n {
		for b := range 256 {
			t.full[i][b] = t.low[i][b&15] & t.high[i][b>>4]
		}
	}
	return t
}

func compareSets(a, b []set) int {
	for i := range min(len(a), len(b)) {
		for w := range a[i] {
			if a[i][w] != b[i][w] {
				return bits.TrailingZeros64(a[i][w]) - bits.TrailingZeros64(b[i][w])
			}
		}
	}
	return len(a) - len(b)
}

func (t *tables) addSet(at int, s set, bucket byte) {
	for b := range 256 {
		if s.has(byte(b)) {
			t.low[at][b&15] |= bucket
			t.high[at][b>>4] |= bucket
		}
	}
}

func (t *tables) addAll(at int, bucket byte) {
	for i := range 16 {
		t.low[at][i] |= bucket
		t.high[at][i] |= bucket
	}
}

// mask returns the buckets that the bytes at an offset are compatible with.
func (t *tables) mask(b []byte, at int) uint8 {
	m := uint8(0xff)
	for i := range t.n {
		if at+i >= len(b) {
			return m & t.ends[i]
		}
		m &= t.full[i][b[at+i]]
	}
	return m
}

// find returns the first offset at or after from with a compatible bucket, or -1.
func (t *tables) find(b []byte, from int) int {
	i := from
	if hasVectors && i < len(b) {
		if n := (len(b) - i - (t.n - 1)) &^ (vector - 1); n > 0 {
			if at := findTables(&b[i], n, t, t.n); at >= 0 {
				return i + at
			}
			i += n
		}
	}
	return t.findPlain(b, i)
}

// findPlain is find without vector instructions.
func (t *tables) findPlain(b []byte, from int) int {
	i := from
	first, second := &t.full[0], &t.full[1]
	for ; i+1 < len(b); i++ {
		if first[b[i]]&second[b[i+1]] != 0 && t.mask(b, i) != 0 {
			return i
		}
	}
	for ; i < len(b); i++ {
		if t.mask(b, i) != 0 {
			return i
		}
	}
	return -1
}
