package charset

import (
	"math"
	"strings"
	"unicode"
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

// scripts are the encodings to choose from, beside those of more bytes.
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

// guessPage returns the encoding that a body without a declaration is most probably in.
func guessPage(body []byte) string {
	at := max(ascii(body)-1, 0)
	return guess(body[at:min(len(body), at+head)]).name
}

var (
	costBeside  = math.Log(0.05)  // two letters with accents side by side
	costInside  = math.Log(0.005) // a letter of ASCII beside one of another script, a capital in a word
	costSeldom  = math.Log(0.1)   // an encoding that few files without a declaration are in
	costCapital = math.Log(0.1)
)

// marks are punctuation and signs, which occur in every language.
const marks = "\u00a0«»…‘’“”–—°©®€¿¡§·™№"

// finals are letters at the end of a word.
const finals = "ךםןףץς"

// medials are letters that have another form at the end of a word.
const medials = "כמנפצ"

// likelihood returns the logarithm of the probability of a sample in an encoding. Words of
// scripts other than Latin have more than one letter and none of ASCII, and no word goes on behind
// a final letter, or with a capital behind a small one.
func (s *script) likelihood(sample []byte) (sum float64) {
	part := 0.85
	if s.latin {
		part = 0.1
	}
	letters := language{common: map[rune]float64{}}
	letters.add(s.common, part*0.9)
	if s.name != "windows-1252" && s.name != "windows-1251" {
		sum += costSeldom
	}
	rare, before, length := share(part*0.05, 96), rune(' '), 0 // length of a word without ASCII
	endWord := func(r rune) {
		if length == 1 && !s.latin {
			sum += costMixed
		}
		if length > 0 && !s.latin && isLatin(r) {
			sum += costInside
		}
		if length > 0 && strings.ContainsRune(medials, before) {
			sum += costMixed
		}
		length = 0
	}
	for _, b := range sample {
		r := s.coder.DecodeByte(b)
		small, known := letters.common[r]
		capital, isCapital := letters.common[unicode.ToLower(r)]
		switch {
		case b < utf8.RuneSelf:
			endWord(r)
			sum += costASCII
		case r == utf8.RuneError || r >= 0x80 && r < 0xa0:
			sum += costInvalid
		case strings.ContainsRune(marks, r):
			endWord(r)
			sum += share(0.05, 20)
		default:
			switch {
			case known:
				sum += small
			case isCapital:
				sum += capital + costCapital
			default:
				sum += rare
			}
			switch {
			case length == 0 && !s.latin && isLatin(before):
				sum += costInside
			case length > 0 && s.latin:
				sum += costBeside
			}
			if length == 0 && unicode.Is(unicode.Mn, r) { // a point without its letter
				sum += costInside
			}
			if unicode.IsUpper(r) && unicode.IsLower(before) || strings.ContainsRune(finals, before) {
				sum += costInside
			}
			length++
		}
		before = r
	}
	endWord(' ')
	return sum
}

func isLatin(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }
