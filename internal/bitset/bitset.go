// Package bitset has sets of small numbers.
package bitset

// Set is a set of numbers. The zero value is empty.
type Set struct{ bits []uint64 }

// Add adds a number to the set.
func (s *Set) Add(num uint32) {
	i := int(num / 64)
	if i >= len(s.bits) {
		s.bits = append(s.bits, make([]uint64, i+1-len(s.bits))...)
	}
	s.bits[i] |= 1 << (num % 64)
}

// Has reports whether a number is in the set.
func (s *Set) Has(num uint32) bool {
	i := int(num / 64)
	return i < len(s.bits) && s.bits[i]&(1<<(num%64)) != 0
}
