package store

import (
	"bytes"
	"slices"
	"time"

	"techo/store/kv"
	"techo/store/search"
)

const (
	// maxSession is the largest number of memories in a session whose order counts.
	maxSession = 4096

	// sameSitting is the longest pause between two memories without a session that
	// belong together, as visits of a web site do in its statistics.
	sameSitting = 30 * time.Minute
)

// surroundings finds the memories around one, in its session or else in time.
type surroundings struct {
	tx       *Tx
	user     uint32
	sessions map[uint32][]uint32
	runs     map[string][]moment // read runs of the timeline of all memories, by key
}

func (u memoryUser) surroundings(tx *Tx) *surroundings {
	return &surroundings{tx, u.Number, map[uint32][]uint32{}, map[string][]moment{}}
}

// around returns the texts around one and its index among them. A search calls it for
// its best texts.
func (s *surroundings) around(o search.Owner) (nums []uint32, at int, err error) {
	if o.Group == 0 {
		return s.inTime(o)
	}
	nums, err = s.session(o.Group)
	i := slices.Index(nums, o.Num)
	if err != nil || i < 0 {
		return nil, 0, err
	}
	from := max(0, i-search.Around)
	return nums[from:min(len(nums), i+search.Around+1)], i - from, nil
}

// session returns the texts of a session in order, or none if there are too many.
func (s *surroundings) session(number uint32) ([]uint32, error) {
	nums, ok := s.sessions[number]
	if ok {
		return nums, nil
	}
	err := timeline{user: s.user, session: number}.runs(s.tx, nil, nil, false, func(ms []moment) error {
		for _, m := range ms {
			nums = append(nums, m.text)
		}
		if len(nums) > maxSession {
			nums = nil
			return errStop
		}
		return nil
	})
	s.sessions[number] = nums
	return nums, err
}

// inTime returns the texts around one in time, up to the next long pause.
func (s *surroundings) inTime(o search.Owner) (nums []uint32, at int, err error) {
	run, err := s.momentsAround(o)
	if err != nil {
		return nil, 0, err
	}
	i := slices.IndexFunc(run, func(m moment) bool { return m.text == o.Num })
	if i < 0 {
		return nil, 0, nil
	}
	from, to := i, i
	for from > 0 && i-from < search.Around && together(run[from-1], run[from]) {
		from--
	}
	for to+1 < len(run) && to-i < search.Around && together(run[to], run[to+1]) {
		to++
	}
	if inBulk(run, i) {
		return nil, 0, nil
	}
	for _, m := range run[from : to+1] {
		nums = append(nums, m.text)
	}
	return nums, i - from, nil
}

// momentsAround returns the run of a text, with the runs beside it that may be needed.
func (s *surroundings) momentsAround(o search.Owner) (run []moment, err error) {
	l := timeline{user: s.user}
	key, run, err := s.runOf(l, moment{at: o.At, order: o.Num})
	if err != nil || key == nil {
		return nil, err
	}
	i := slices.IndexFunc(run, func(m moment) bool { return m.text == o.Num })
	if i < 0 || inBulk(run, i) {
		return nil, nil
	}
	var before, after []moment
	if i < search.Around || run[0].at == o.At {
		before, err = s.beside(key, kv.Range{Prefix: l.prefix(), From: key, Reverse: true})
	}
	if err == nil && (i+search.Around >= len(run) || run[len(run)-1].at == o.At) {
		after, err = s.beside(key, l.behind(moment{at: o.At, order: o.Num}))
	}
	return slices.Concat(before, run, after), err
}

// inBulk reports whether more memories than search.MaxAtOnce have the time of the i-th.
func inBulk(run []moment, i int) bool {
	n := 0
	for _, m := range run {
		if m.at == run[i].at {
			n++
		}
	}
	return n > search.MaxAtOnce
}

func together(a, b moment) bool { return b.at-a.at <= sameSitting.Milliseconds() }

// runOf returns the run in which a moment belongs.
func (s *surroundings) runOf(l timeline, m moment) (key []byte, run []moment, err error) {
	for key, run := range s.runs {
		if len(run) > 0 && run[0].compare(m) <= 0 && m.compare(run[len(run)-1]) <= 0 {
			return []byte(key), run, nil
		}
	}
	if key, run, err = l.runAt(s.tx, m); err == nil && key != nil {
		s.runs[string(key)] = run
	}
	return key, run, err
}

// run returns the moments of a run.
func (s *surroundings) run(key []byte) ([]moment, error) {
	if run, ok := s.runs[string(key)]; ok {
		return run, nil
	}
	b, err := s.tx.Get(key)
	if err != nil {
		return nil, err
	}
	_, run, err := readTimeline(key, b)
	s.runs[string(key)] = run
	return run, err
}

// beside returns the first run in a range other than the one under a key.
func (s *surroundings) beside(key []byte, r kv.Range) ([]moment, error) {
	for item, err := range s.tx.Scan(r) {
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(item.Key, key) {
			return s.run(bytes.Clone(item.Key))
		}
	}
	return nil, nil
}
