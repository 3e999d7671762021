package disk

import "hash/crc32"

var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

func Checksum(parts ...[]byte) uint32 {
	var s uint32
	for _, p := range parts {
		s = crc32.Update(s, Castagnoli, p)
	}
	return s
}
