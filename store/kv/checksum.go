package kv

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(parts ...[]byte) uint32 {
	var s uint32
	for _, p := range parts {
		s = crc32.Update(s, castagnoli, p)
	}
	return s
}
