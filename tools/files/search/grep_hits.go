package search

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"techo/internal/walk"
)

// newHit copies a matching line, or at most the given number of bytes around the
// match.
func newHit(line []byte, inside, most int) hit {
	h := hit{size: len(line), matchOffset: inside}
	if len(line) <= most {
		h.text = bytes.Clone(line)
		return h
	}
	from := max(0, min(inside-most/2, len(line)-most))
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	h.text, h.partial, h.matchOffset = bytes.Clone(line[from:min(len(line), from+most)]), true, inside-from
	h.charsBefore = utf8.RuneCount(line[:from])
	return h
}

// add adds the results of a file. Once there are enough, it stops the walk behind
// the last path that is needed.
func (s *lineSearch) add(f fileHits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mode == modeCounts {
		s.counts = append(s.counts, FileCount{f.path, f.count})
		return
	}
	at, _ := slices.BinarySearchFunc(s.found, f.path,
		func(f fileHits, path string) int { return walk.Compare(f.path, path) })
	s.found = slices.Insert(s.found, at, f)
	s.total += s.results(f)
	if s.maxResults == 0 || s.total <= s.maxResults {
		return
	}
	sum := 0
	for i, f := range s.found {
		if sum += s.results(f); sum > s.maxResults {
			s.found, s.total = slices.Delete(s.found, i+1, len(s.found)), sum
			s.stopAfter(f.path)
			return
		}
	}
}

// results returns how much a file counts towards the limit.
func (s *lineSearch) results(f fileHits) int {
	if s.mode == modeLines {
		return len(f.hits)
	}
	return 1
}
