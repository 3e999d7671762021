package charset

import "unicode/utf8"

// The functions below return the length of the first character, as the WHATWG
// Encoding Standard defines it. Bytes below 0x80 are characters of their own in
// every encoding except UTF-16.

func sizeUTF16(high int) func([]byte) int {
	return func(b []byte) int {
		if len(b) < 2 {
			return 0
		}
		if b[high]&0xfc == 0xd8 && len(b) >= 4 && b[2+high]&0xfc == 0xdc {
			return 4
		}
		if b[high]&0xf8 == 0xd8 { // a surrogate pair
			return 0
		}
		return 2
	}
}

// sizePair handles double-byte encodings whose second byte is at least 0x40.
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
	if b[0] == 0x80 { // the euro sign of GBK
		return 1
	}
	return sizePair(0x81, 0xfe)(b)
}
