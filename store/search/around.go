package search

import (
	"encoding/binary"
	"slices"

	"techo/store/kv"
)

// around adds the scores of neighbouring texts to the best hits and adds the
// neighbours as hits.
func (f *finding) around(best []Hit) ([]Hit, error) {
	byGroup, err := f.groupScores()
	if err != nil {
		return nil, err
	}
	var all []Hit
	inGroup := map[uint32][]uint32{}
	var order []uint32
	for _, h := range best {
		o, err := f.owner(h.Num)
		if err != nil {
			return nil, err
		}
		if o.group == 0 {
			all = append(all, h)
			continue
		}
		if inGroup[o.group] == nil {
			order = append(order, o.group)
		}
		inGroup[o.group] = append(inGroup[o.group], h.Num)
	}
	for _, g := range order {
		members, err := f.query.Members(g)
		if err != nil {
			return nil, err
		}
		bonus := 0.0
		if int(g) < len(byGroup) {
			bonus = byGroup[g]
		}
		all = append(all, f.inGroup(members, inGroup[g], bonus)...)
	}
	slices.SortFunc(all, before)
	return all, nil
}

// inGroup scores texts of a group and their neighbours. members are the texts of
// the group in order; it is empty if the group has no order.
func (f *finding) inGroup(members, best []uint32, bonus float64) (hits []Hit) {
	if len(members) == 0 {
		for _, num := range best {
			hits = append(hits, Hit{Num: num, Score: f.ownScore(num) + bonus})
		}
		return hits
	}
	own := func(i int) float64 {
		if i < 0 || i >= len(members) {
			return 0
		}
		return f.ownScore(members[i])
	}
	var chosen Set
	for _, num := range best {
		chosen.Add(num)
	}
	wanted := make([]bool, len(members))
	for i, num := range members {
		if chosen.Has(num) {
			for j := max(0, i-2); j <= min(len(members)-1, i+2); j++ {
				wanted[j] = true
			}
		}
	}
	for i, num := range members {
		if wanted[i] && f.query.has(num) {
			score := own(i) + near1*(own(i-1)+own(i+1)) + near2*(own(i-2)+own(i+2)) + bonus
			hits = append(hits, Hit{Num: num, Score: score})
		}
	}
	return hits
}

// groupScores returns the BM25 score of each group, indexed by its number.
func (f *finding) groupScores() ([]float64, error) {
	lengths, err := f.groupLengths()
	if err != nil {
		return nil, err
	}
	n, total := 0, int64(0)
	for _, l := range lengths {
		if l > 0 {
			n++
			total += int64(l)
		}
	}
	scores, counts := make([]float64, len(lengths)), make([]uint32, len(lengths))
	base, slope := k1*(1-b), k1*b/mean(total, n)
	for _, a := range f.terms {
		h, err := f.loadHead(f.tx, groups, a.term)
		if err != nil {
			return nil, err
		}
		var having []uint32
		count := func(group, times uint32) {
			if int(group) >= len(counts) {
				return
			}
			if counts[group] == 0 {
				having = append(having, group)
			}
			counts[group] += times
		}
		err = f.each(f.tx, groups, a.term, h, func(ps []posting) {
			for _, p := range ps {
				count(p.num, p.n)
			}
		})
		if err != nil {
			return nil, err
		}
		for _, p := range a.waiting {
			if o, err := f.owner(p.num); err == nil && o.group != 0 {
				count(o.group, p.n)
			}
		}
		weight := idf(n, len(having)) * (k1 + 1)
		for _, g := range having {
			times := float64(counts[g])
			scores[g] += weight * times / (times + base + slope*float64(lengths[g]))
			counts[g] = 0
		}
	}
	return scores, nil
}

// groupLengths returns the length of each group, indexed by its number.
func (f *finding) groupLengths() (all []uint32, err error) {
	at := func(num uint32) *uint32 {
		if int(num) >= len(all) {
			all = append(all, make([]uint32, int(num)+1-len(all))...)
		}
		return &all[num]
	}
	prefix := append(f.key(lengthPrefix), byte(groups))
	for item, err := range f.tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return nil, err
		}
		b, err := item.Value()
		if err != nil {
			return nil, err
		}
		chunk := binary.BigEndian.Uint32(item.Key[len(prefix):])
		for i := range uint32(len(b) / groups.width()) {
			*at(chunk*groups.perChunk() + i) = groups.length(b, i)
		}
	}
	for _, d := range f.waiting {
		if d.Group != 0 {
			*at(d.Group) += d.Bag.Length
		}
	}
	return all, nil
}
