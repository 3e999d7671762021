package charset

import "unicode/utf8"

// The sizes of characters, after the WHATWG's encoding standard: a byte below
// 0x80 stands alone in all of them but UTF-16.

func sizeUTF16(high int) func([]byte) int {
	return func(b []byte) int {
		if len(b) < 2 {
			return 0
		}
		if b[high]&0xfc == 0xd8 && len(b) >= 4 && b[2+high]&0xfc == 0xdc {
			return 4
		}
		if b[high]&0xf8 == 0xd8 { // half of a pair
			return 0
		}
		return 2
	}
}

// sizePair is for encodings of two bytes, of which the second is 0x40 or more.
func sizePair(low, high byte) func([]byte) int {
	return func(b []byte) int {
		switch {
		case b[0] < utf8.RuneSelf:
			return 1
		case b[0] < low || b[0] > high || len(b) < 2 || b[1] < 0x40 || b[1] == 0x7f || b[1] == 0xff:
			return 0
		}
		return 2
	}
}

func sizeShiftJIS(b []byte) int {
	switch c := b[0]; {
	case c <= 0x80 || c >= 0xa1 && c <= 0xdf:
		return 1
	case c == 0xa0 || c > 0xfc || len(b) < 2 || b[1] < 0x40 || b[1] == 0x7f || b[1] > 0xfc:
		return 0
	}
	return 2
}

func sizeEUCJP(b []byte) int {
	part := func(i int) bool { return i < len(b) && b[i] >= 0xa1 && b[i] <= 0xfe }
	switch c := b[0]; {
	case c < utf8.RuneSelf:
		return 1
	case c == 0x8e && part(1) && b[1] <= 0xdf:
		return 2
	case c == 0x8f && part(1) && part(2):
		return 3
	case part(0) && part(1):
		return 2
	}
	return 0
}

func sizeGB18030(b []byte) int {
	if len(b) >= 4 && b[0] >= 0x81 && b[0] <= 0xfe && b[1] >= '0' && b[1] <= '9' &&
		b[2] >= 0x81 && b[2] <= 0xfe && b[3] >= '0' && b[3] <= '9' {
		return 4
	}
	if b[0] == 0x80 { // the euro of GBK
		return 1
	}
	return sizePair(0x81, 0xfe)(b)
}

// The scores: kana, punctuation and the common kanji (JIS level 1) are what
// Japanese is made of; rare kanji and half-width kana are what other encodings
// look like when they are taken for it.

func scoreShiftJIS(b []byte) int {
	if len(b) == 1 {
		return -1
	}
	switch c, d := b[0], b[1]; {
	case c == 0x81, c == 0x82 && d >= 0x9f, c == 0x83 && d <= 0x96:
		return 2
	case c >= 0x88 && c <= 0x97, c == 0x82:
		return 1
	}
	return -2
}

func scoreEUCJP(b []byte) int {
	switch c := b[0]; {
	case c == 0xa1 || c == 0xa4 || c == 0xa5:
		return 2
	case c >= 0xb0 && c <= 0xcf, c == 0xa3:
		return 1
	case c == 0x8e || c == 0x8f:
		return -1
	}
	return -2
}
