package pattern

import "math/bits"

// set is a set of bytes.
type set [4]uint64

func (s *set) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *set) remove(b byte)   { s[b>>6] &^= 1 << (b & 63) }
func (s *set) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

func (s *set) addRange(lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		s.add(byte(b))
	}
}

func (s *set) size() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// only returns the single byte of a set of size 1.
func (s *set) only() byte {
	for i, w := range s {
		if w != 0 {
			return byte(i*64 + bits.TrailingZeros64(w))
		}
	}
	return 0
}

// frequency estimates the fraction of a text's bytes that are in the set, from 0
// to 1.
func (s *set) frequency() float64 {
	var sum int
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			sum += int(frequencies[i*64+bits.TrailingZeros64(w)])
		}
	}
	return min(float64(sum)/65536, 1)
}

// frequencies is the number of occurrences of each byte in 65,536 bytes of source
// code, counted over the Linux and Go trees. The bytes of multi-byte UTF-8 are
// raised to account for other languages.
var frequencies = [256]uint16{
	1, 1, 1, 1, 1, 1, 1, 1, 1, 2602, 2304, 1, 1, 100, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	7094, 46, 383, 195, 17, 59, 141, 34, 717, 717, 649, 67, 950, 541, 410, 388,
	1149, 459, 398, 247, 224, 149, 202, 107, 195, 103, 206, 644, 114, 517, 336, 7,
	26, 525, 195, 515, 374, 633, 262, 210, 141, 559, 8, 106, 390, 366, 411, 378,
	432, 50, 517, 548, 556, 221, 146, 89, 139, 72, 31, 88, 58, 88, 6, 2766,
	14, 1944, 571, 1629, 1522, 3581, 1063, 604, 663, 2251, 30, 344, 1277, 882, 1998, 1696,
	1073, 125, 2318, 2111, 2918, 1147, 550, 288, 570, 310, 80, 220, 71, 220, 7, 1,
	40, 40, 30, 30, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
	20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
	20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
	20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
	1, 1, 10, 20, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
	30, 30, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
	20, 10, 40, 120, 30, 40, 30, 30, 30, 30, 20, 10, 10, 10, 10, 20,
	10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
}
