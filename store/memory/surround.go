package memory

import (
	"slices"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
)

const (
	// maxSession is the largest number of memories in a session whose order counts.
	maxSession     = 4096
	maxSessionRuns = 2*maxSession/momentsPerRun + 1 // runs may be half full

	// sameSitting is the longest pause between two memories without a session that
	// belong together, as visits of a web site do in its statistics.
	sameSitting = 30 * time.Minute
)

// surroundings finds the memories around some, in their sessions or else in time.
type surroundings struct {
	tx       *ledger.Tx
	user     uint32
	sessions map[uint32][]uint32 // the texts of sessions in order, none if there are too many
	runs     map[string][]Moment // of the timeline of all memories, by key
}

func (u UserRecord) Surroundings(tx *ledger.Tx) *surroundings {
	return &surroundings{tx, u.Number, map[uint32][]uint32{}, map[string][]Moment{}}
}

// Around returns the texts around some. A search calls it for its best texts.
func (s *surroundings) Around(owners []search.Owner) ([]search.Neighbours, error) {
	var ranges []kv.Range
	var sessions []uint32
	for _, o := range owners {
		if _, known := s.sessions[o.Group]; o.Group != 0 && !known {
			s.sessions[o.Group] = nil
			sessions = append(sessions, o.Group)
			ranges = append(ranges, kv.Range{Prefix: Timeline{s.user, o.Group}.prefix(), Limit: maxSessionRuns})
		}
	}
	for _, o := range owners {
		if o.Group == 0 {
			before, after := s.beside(o)
			ranges = append(ranges, before, after)
		}
	}
	_, items, err := s.tx.ReadMany(nil, ranges)
	if err != nil {
		return nil, err
	}
	for i, number := range sessions {
		if s.sessions[number], err = textsInOrder(items[i]); err != nil {
			return nil, err
		}
	}
	items = items[len(sessions):]
	all := make([]search.Neighbours, len(owners))
	for i, o := range owners {
		if o.Group != 0 {
			all[i] = inSession(s.sessions[o.Group], o)
			continue
		}
		if all[i], err = s.inTime(o, items[0], items[1]); err != nil {
			return nil, err
		}
		items = items[2:]
	}
	return all, nil
}

// textsInOrder returns the texts of a session, or none if there are too many.
func textsInOrder(runs []kv.Pair) (nums []uint32, err error) {
	for _, p := range runs {
		_, ms, err := ReadTimeline(p.Key, p.Value)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			nums = append(nums, m.Text)
		}
	}
	if len(nums) > maxSession || len(runs) == maxSessionRuns {
		nums = nil
	}
	return nums, nil
}

// inSession returns what is around one of the texts of a session.
func inSession(nums []uint32, o search.Owner) search.Neighbours {
	i := slices.Index(nums, o.Num)
	if i < 0 {
		return search.Neighbours{}
	}
	from := max(0, i-search.Around)
	return search.Neighbours{Nums: nums[from:min(len(nums), i+search.Around+1)], At: i - from}
}

// beside returns the ranges with the run of a text and the runs beside it: the runs that begin
// before the text, backwards, and those behind it.
func (s *surroundings) beside(o search.Owner) (before, after kv.Range) {
	l, m := Timeline{User: s.user}, Moment{At: o.At, Order: o.Num}
	before, after = l.upTo(m), l.behind(m)
	before.Limit, after.Limit = 2, 2 // the first run may begin behind the text
	return before, after
}

// inTime returns the texts around one in time, up to the next long pause.
func (s *surroundings) inTime(o search.Owner, before, after []kv.Pair) (n search.Neighbours, err error) {
	slices.Reverse(before)
	all := slices.Concat(before, after)
	own := max(len(before)-1, 0)
	if own >= len(all) {
		return n, nil
	}
	run, err := s.run(all[own])
	i := slices.IndexFunc(run, func(m Moment) bool { return m.Text == o.Num })
	if err != nil || i < 0 || inBulk(run, i) {
		return n, err
	}
	var earlier, later []Moment
	if own > 0 && (i < search.Around || run[0].At == o.At) {
		earlier, err = s.run(all[own-1])
	}
	if err == nil && own+1 < len(all) && (i+search.Around >= len(run) || run[len(run)-1].At == o.At) {
		later, err = s.run(all[own+1])
	}
	run, i = slices.Concat(earlier, run, later), i+len(earlier)
	if err != nil || inBulk(run, i) {
		return n, err
	}
	from, to := i, i
	for from > 0 && i-from < search.Around && together(run[from-1], run[from]) {
		from--
	}
	for to+1 < len(run) && to-i < search.Around && together(run[to], run[to+1]) {
		to++
	}
	for _, m := range run[from : to+1] {
		n.Nums = append(n.Nums, m.Text)
	}
	n.At = i - from
	return n, nil
}

// run decodes a run once.
func (s *surroundings) run(p kv.Pair) (ms []Moment, err error) {
	ms, known := s.runs[string(p.Key)]
	if !known {
		_, ms, err = ReadTimeline(p.Key, p.Value)
		s.runs[string(p.Key)] = ms
	}
	return ms, err
}

// inBulk reports whether more memories than search.MaxAtOnce have the time of the i-th.
func inBulk(run []Moment, i int) bool {
	n := 0
	for _, m := range run {
		if m.At == run[i].At {
			n++
		}
	}
	return n > search.MaxAtOnce
}

func together(a, b Moment) bool { return b.At-a.At <= sameSitting.Milliseconds() }
