// Package secrets finds what looks like a password, a key or a token in a text: by the formats of
// tokens, by the words beside it in English and Japanese, and by its randomness. It is made for
// texts of persons: a few lines, not source trees. It can miss secrets.
package secrets

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"techo/internal/lazyregexp"
	"techo/internal/sorting"
)

// span is the place of a secret in a text, in bytes.
type span struct{ From, To int }

// Hide replaces each secret of a text by another text. A person's own patterns find more secrets.
func Hide(text, by string, own ...*regexp.Regexp) string {
	var out strings.Builder
	end := 0
	for _, s := range find(text, own...) {
		out.WriteString(text[end:s.From])
		out.WriteString(by)
		end = s.To
	}
	return out.String() + text[end:]
}

// find returns the places of secrets, in order and without overlap. It also finds what a person's own patterns match:
// their first group, or all of the match.
func find(text string, own ...*regexp.Regexp) []span {
	all := findIn(text)
	if c, differs := newCompatible(text); differs {
		for _, s := range findIn(c.text) {
			all = append(all, c.span(s))
		}
	}
	for _, p := range own {
		for _, at := range p.FindAllStringSubmatchIndex(text, -1) {
			from, to := at[0], at[1]
			if len(at) > 2 && at[2] >= 0 {
				from, to = at[2], at[3]
			}
			if to > from {
				all = append(all, span{from, to})
			}
		}
	}
	return joined(all)
}

func findIn(text string) []span {
	small := inSmallLetters(text)
	return withoutHarmless(text, slices.Concat(formats(text), patterns(text, small), named(text), random(text)))
}

// joined puts spans in order and joins those that overlap.
func joined(all []span) []span {
	sorting.By(all, func(a, b span) int { return a.From - b.From })
	var joined []span
	for _, s := range all {
		if last := len(joined) - 1; last >= 0 && s.From <= joined[last].To {
			joined[last].To = max(joined[last].To, s.To)
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// formats finds tokens.
func formats(text string) (all []span) {
	known := tokensOf()
	for i := 0; i < len(text); i++ {
		if i > 0 && strings.IndexByte(alnum, text[i-1]) >= 0 {
			continue
		}
		if n := tokenAt(text[i:], known); n > 0 {
			all = append(all, span{i, i + n})
			i += n - 1
		}
	}
	return all
}

// pattern is a regular expression whose last group is a secret, unless it fails a test.
type pattern struct {
	// marks are texts in small letters, separated by bars. A text that the expression matches has
	// one of them, also in small letters: a search for them costs far less than the expression.
	marks string
	// joins are further texts of which one occurs, if it is not empty.
	joins   string
	matcher *lazyregexp.Regexp
	is      func(value string) bool // nil: always
}

// shapes are secrets that their surroundings show: in addresses, headers and commands.
var shapes = sync.OnceValue(func() []pattern {
	return []pattern{
		{"-----begin", "", lazyregexp.New(`(?s)(-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY.*?` +
			`(?:-----END[A-Z0-9 ]*KEY[A-Z ]*-----|$))`), nil},
		{"://", "@", lazyregexp.New(`(?i)\b[a-z][a-z0-9+.\-]*://[^\s/@:]*:([^\s/@]+)@`), known},
		{".ey", "", lazyregexp.New(`\b(ey[A-Za-z0-9_\-]{8,}\.ey[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?)`), nil},
		{"authorization", "", lazyregexp.New(`(?i)\bauthorization["']?\s*[:=]\s*["']?` +
			`(?:(?:basic|bearer|token|digest|apikey)\s+)?` +
			`([A-Za-z0-9._~+/=\-]{3,})`), func(v string) bool { return known(v) && !scheme(v) }},
		{"bearer", "", lazyregexp.New(`\b[Bb](?:earer|EARER)\s+([A-Za-z0-9._~+/=\-]{4,})`), opaque},
		{"basic", "", lazyregexp.New(`\b[Bb](?:asic|ASIC)\s+([A-Za-z0-9+/]{6,}={0,2})`), credentials},
		{"-u|--user", "", lazyregexp.New(`(?:^|\s)(?:-u|--user)[ =]["']?[^\s:"']+:([^\s"']+)`), known},
		{"-p|-token|-secret|-a", "", lazyregexp.New(`(?i)(?:^|\s)--?(?:password|passwd|passphrase|pass|pw|token|secret|` +
			`api-?key|access-?key)[ =]["']?([^\s"']{3,})`), notWord},
		{"sshpass|mysql|mariadb|redis-cli|smbclient", "-p|-a", lazyregexp.New(
			`\b(?:sshpass|mysql|mysqldump|mariadb|redis-cli|smbclient)\b.*?` +
				`\s-[pa] ?["']?([^\s"']{3,})`), notWord},
		{"?|&", "=", lazyregexp.New(`(?i)[?&](?:access_token|api_?key|token|password|secret|sig|signature)=` +
			`([^&\s#"']{4,})`), known},
		{"cookie", "=", lazyregexp.New(`(?i)\b(?:set-cookie|cookie)["']?\s*:\s*([^\s;=]+=[A-Za-z0-9._~+/=%\-]{12,})`), nil},
		{"accountkey=", "", lazyregexp.New(`(?i)AccountKey=([A-Za-z0-9+/=]{8,})`), nil},
		{"identified", "", lazyregexp.New(`(?i)\bIDENTIFIED\s+BY\s+["']([^"']+)["']`), known},
	}
})

func patterns(text, small string) (all []span) {
	for _, p := range slices.Concat(shapes(), moreShapes(), numbers()) {
		all = append(all, p.find(text, small)...)
	}
	return all
}

// find returns the places of the last groups that pass the test. small is the text in small letters.
func (p pattern) find(text, small string) (all []span) {
	for _, at := range p.matches(text, small) {
		from, to := at[len(at)-2], at[len(at)-1]
		if from >= 0 && (p.is == nil || p.is(text[from:to])) {
			all = append(all, span{from, to})
		}
	}
	return all
}

// matches returns the places of all matches and their groups.
func (p pattern) matches(text, small string) [][]int {
	if !p.possible(small) {
		return nil
	}
	return p.matcher.Get().FindAllStringSubmatchIndex(text, -1)
}

// possible reports whether a text in small letters has what each match has.
func (p pattern) possible(small string) bool {
	return hasAny(small, p.marks) && (p.joins == "" || hasAny(small, p.joins))
}

// hasAny reports whether a text has one of some texts, which are separated by bars.
func hasAny(text, words string) bool {
	for word := range strings.SplitSeq(words, "|") {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// inSmallLetters folds a text as (?i) does for the letters of the expressions: the long s, which
// has no small form, is an s there.
func inSmallLetters(text string) string {
	return strings.ReplaceAll(strings.ToLower(text), "ſ", "s")
}

// known reports whether a value is a secret itself, not what stands for one.
func known(value string) bool { return !placeholder(value) }

// placeholder reports whether a value stands for a secret, as in $TOKEN, <password> and ****.
func placeholder(value string) bool {
	value = strings.Trim(value, "\"'`「」『』")
	return value == "" || strings.ContainsAny(value[:1], "$<{[%*…(@/") || strings.HasPrefix(value, "…") ||
		strings.HasPrefix(value, "・") || strings.HasPrefix(value, "＊") ||
		strings.Trim(strings.ToLower(value), "x.*") == "" ||
		strings.Contains(value, "process.env") || strings.Contains(value, "os.environ") ||
		strings.Contains(value, "getenv") || strings.Contains(value, "(") || strings.Contains(value, "${")
}

// opaque reports whether a value is no word: it has a digit, capitals inside or a sign.
func opaque(value string) bool {
	value = strings.TrimRight(value, ".,;:!?")
	if placeholder(value) {
		return false
	}
	inner := value[1:]
	return strings.ContainsAny(value, digits) || strings.ContainsAny(inner, "_~+/=!@#$%^&*?") ||
		strings.ToLower(inner) != inner && strings.ToUpper(value) != value
}

// notWord reports whether a value is neither a placeholder nor an option.
func notWord(value string) bool { return !placeholder(value) && value[0] != '-' && !ordinary(value) }

// scheme reports whether a value is the name of a way to authenticate.
func scheme(value string) bool {
	return strings.Contains(" basic bearer token digest apikey negotiate ", " "+strings.ToLower(value)+" ")
}

// credentials reports whether a value is base64 of a name and a password.
func credentials(value string) bool {
	plain, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		plain, err = base64.RawStdEncoding.DecodeString(value)
	}
	return err == nil && utf8.Valid(plain) && strings.Contains(string(plain), ":")
}

// Bounds of random words.
const (
	randomFrom  = 24 // characters
	randomTurns = 4  // times that letters and digits follow one another
)

// random finds long words of letters of both cases and digits in no order. Hashes, UUIDs and paths
// have no capitals, or dots and slashes.
func random(text string) (all []span) {
	from := -1
	for i := 0; i <= len(text); i++ {
		in := i < len(text) && (strings.IndexByte(wordly, text[i]) >= 0 || text[i] == '+')
		if in && from < 0 {
			from = i
		}
		if in || from < 0 {
			continue
		}
		outside := from > 0 && strings.IndexByte("/.", text[from-1]) >= 0 || i < len(text)-1 && text[i] == '/'
		if word := text[from:i]; len(word) >= randomFrom && !outside && mixed(word) {
			all = append(all, span{from, i})
		}
		from = -1
	}
	return all
}

// mixed reports whether letters of both cases and digits alternate often.
func mixed(word string) bool {
	turns := 0
	for i := 1; i < len(word); i++ {
		if isDigit(word[i]) != isDigit(word[i-1]) {
			turns++
		}
	}
	return turns >= randomTurns && strings.ToLower(word) != word && strings.ToUpper(word) != word
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
