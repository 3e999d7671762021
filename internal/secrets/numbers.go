package secrets

import (
	"strings"
	"sync"

	"techo/internal/lazyregexp"
)

// # Numbers of persons
//
// Numbers with check digits are secrets where the digits are right: cards, account numbers and My Number. Social
// security numbers have none, so a word has to stand beside them.

var numbers = sync.OnceValue(func() []pattern {
	return []pattern{
		{"", "", lazyregexp.New(`(?:^|[^0-9A-Za-z.,\-])((?:[0-9][ \-]?){12,18}[0-9])(?:$|[^0-9A-Za-z\-])`), isCard},
		{"", "", lazyregexp.New(`(?:^|[^0-9A-Za-z.,\-])([0-9]{4}[ \-][0-9]{4}[ \-][0-9]{4})(?:$|[^0-9A-Za-z \-]| (?:$|[^0-9]))`), isMyNumber},
		{"マイナンバー|個人番号|my number|mynumber|individual number", "", lazyregexp.New(`(?i)(?:マイナンバー|個人番号|my ?number|` +
			`individual number)[^0-9\n]{0,20}([0-9]{4}[ \-]?[0-9]{4}[ \-]?[0-9]{4})(?:$|[^0-9])`), isMyNumber},
		{"", "", lazyregexp.New(`\b([A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)\b`), isIBAN},
		{"ssn|social security|社会保障", "", lazyregexp.New(`(?i)(?:\bssn|social security|社会保障)[^0-9\n]{0,24}` +
			`([0-9]{3}[ \-]?[0-9]{2}[ \-]?[0-9]{4})(?:$|[^0-9])`), isSocialSecurity},
		{"-", "ssn|social security|社会保障", lazyregexp.New(`(?:^|[^0-9\-])([0-9]{3}-[0-9]{2}-[0-9]{4})(?:$|[^0-9\-])`),
			isSocialSecurity},
	}
})

func onlyDigits(value string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, value)
}

// issuers matches the beginnings of card numbers, with their lengths.
var issuers = lazyregexp.New(`^(?:4[0-9]{12}(?:[0-9]{3}){0,2}|5[1-5][0-9]{14}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|` +
	`7[01][0-9]|720)[0-9]{12}|3[47][0-9]{13}|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}|35(?:2[89]|[3-8][0-9])[0-9]{12}|` +
	`3(?:0[0-5]|[68][0-9])[0-9]{11}|62[0-9]{14,17})$`)

// isCard reports whether a number begins and ends like one of a card (ISO 7812, Luhn).
func isCard(value string) bool {
	number := onlyDigits(value)
	if !issuers.Get().MatchString(number) || strings.Count(number, number[:1]) == len(number) {
		return false
	}
	sum := 0
	for i := range number {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// isMyNumber reports whether the check digit of a Japanese individual number is right.
func isMyNumber(value string) bool {
	number := onlyDigits(value)
	if len(number) != 12 || strings.Count(number, number[:1]) == len(number) {
		return false
	}
	sum := 0
	for n := 1; n <= 11; n++ {
		p := int(number[11-n] - '0')
		q := n + 1
		if n >= 7 {
			q = n - 5
		}
		sum += p * q
	}
	check := 11 - sum%11
	if sum%11 <= 1 {
		check = 0
	}
	return int(number[11]-'0') == check
}

// isIBAN reports whether an international account number is right (ISO 13616, modulo 97).
func isIBAN(value string) bool {
	number := strings.ReplaceAll(value, " ", "")
	if len(number) < 15 || len(number) > 34 {
		return false
	}
	rest := 0
	for _, r := range number[4:] + number[:4] {
		switch {
		case r >= '0' && r <= '9':
			rest = (rest*10 + int(r-'0')) % 97
		case r >= 'A' && r <= 'Z':
			rest = (rest*100 + int(r-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1
}

// isSocialSecurity reports whether a number can be one of the United States.
func isSocialSecurity(value string) bool {
	number := onlyDigits(value)
	return len(number) == 9 && number[:3] != "000" && number[:3] != "666" && number[0] != '9' && number[3:5] != "00" &&
		number[5:] != "0000"
}
