package charset

import (
	"bytes"
	"math"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// script is an encoding of one byte per character with the letters that are frequent in it.
type script struct {
	name   string
	coder  *charmap.Charmap
	common string // together they are nine tenths of the letters
	latin  bool   // words are mostly ASCII
}

// scripts are the encodings to choose from for a page that declares none, beside those of
// more bytes. Of two that are equally probable, the first one wins.
func scripts() []script {
	const west = "éèàçêäöüßñáíóúãõåæøâîôûëïù"
	return []script{
		{"windows-1252", charmap.Windows1252, west, true},
		{"windows-1250", charmap.Windows1250, "ěščřžýáíéúůťďňóąęłńśźżćäöüßşţăâîđĽľŠŽČŘŁŚŻ", true},
		{"windows-1254", charmap.Windows1254, west + "ışğİŞĞ", true},
		{"windows-1251", charmap.Windows1251, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэіїє", false},
		{"koi8-r", charmap.KOI8R, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэ", false},
		{"windows-1253", charmap.Windows1253, "αοιετσνηυρπκμλωςγδθχφβξζψάέήίόύώ", false},
		{"windows-1255", charmap.Windows1255, "יוהלאמרתשבנםעדקחכפגטןסזצךףץ", false},
		{"windows-1256", charmap.Windows1256, "اليمنترةوبدعسكقفحهأجىشصخإطضذغءزئ", false},
		{"windows-874", charmap.Windows874, "านรอกเงมยลวดทสตะปบคหแจพชขใไโ่้ัีิ์ืุูำ็", false},
	}
}

// sampleSize is the number of bytes, from the first one that is not ASCII on, that a guess is
// based on.
const sampleSize = 32 << 10

// guessPage returns the encoding that a body without a declaration is most probably in.
func guessPage(body []byte) string {
	at := bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf })
	sample := body[max(at-1, 0):]
	sample = sample[:min(len(sample), sampleSize)]
	best, most := "", math.Inf(-1)
	for _, s := range scripts() {
		if p := s.likelihood(sample); p > most {
			best, most = s.name, p
		}
	}
	if wide, p := likelyWide(sample); p > most {
		return wide
	}
	return best
}

// costBeside is the cost of two letters with accents side by side.
var costBeside = math.Log(0.05)

// likelihood returns the logarithm of the probability of a sample in an encoding.
func (s *script) likelihood(sample []byte) (sum float64) {
	part := 0.85
	if s.latin {
		part = 0.1
	}
	common := map[rune]bool{}
	for _, r := range s.common {
		common[r] = true
	}
	frequent, rare := math.Log(part*0.9/math.Max(26, float64(len(common)))), math.Log(part*0.05/96)
	latin, other := false, false // the character before
	for _, b := range sample {
		isLetter := b|0x20 >= 'a' && b|0x20 <= 'z'
		if b < utf8.RuneSelf {
			if isLetter && other && !s.latin {
				sum += costMixed
			}
			sum += costASCII
			latin, other = isLetter, false
			continue
		}
		r := s.coder.DecodeByte(b)
		switch {
		case r == utf8.RuneError || r >= 0x80 && r < 0xa0:
			sum += costInvalid
		case bytes.IndexByte([]byte("\xa0\xab\xbb\x85\x91\x92\x93\x94\x96\x97\xb0\xa9"), b) >= 0 && s.name != "koi8-r" && s.name != "windows-874":
			sum += math.Log(0.05 / 12)
			latin, other = false, false
			continue
		case common[r]:
			sum += frequent
		default:
			sum += rare
		}
		if latin && !s.latin {
			sum += costMixed
		}
		if other && s.latin {
			sum += costBeside
		}
		latin, other = false, true
	}
	return sum
}
