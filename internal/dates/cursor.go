package dates

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"techo/internal/lazyregexp"
)

// cursor reads a normalized text from its beginning.
type cursor struct{ s string }

// cutWord cuts a word of Latin letters off the rest.
func (c *cursor) cutWord(w string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(c.s, w)
	if !ok || rest != "" && (letter(rest[0]) || rest[0] == '\'') {
		return c.s, false
	}
	return strings.TrimLeft(strings.TrimPrefix(rest, "."), " "), true
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// take cuts a word off the rest, if it is there.
func (c *cursor) take(words ...string) bool {
	for _, w := range words {
		if letter(w[len(w)-1]) {
			if rest, ok := c.cutWord(w); ok {
				c.s = rest
				return true
			}
		} else if rest, ok := strings.CutPrefix(c.s, w); ok {
			c.s = strings.TrimLeft(rest, " ")
			return true
		}
	}
	return false
}

// findTerm returns the longest term at the start of the rest, and its length.
func (c *cursor) findTerm() (t term, size int) {
	if c.s == "" {
		return t, 0
	}
	if letter(c.s[0]) {
		for end, words := 0, 0; end < len(c.s) && words < 6; words++ {
			for end < len(c.s) && (letter(c.s[end]) || c.s[end] == '\'') {
				end++
			}
			if found, ok := terms()[c.s[:end]]; ok {
				t, size = found, end
			}
			if end < len(c.s) && c.s[end] == ' ' {
				end++
			} else {
				break
			}
		}
		if size > 0 && size < len(c.s) && c.s[size] == '.' {
			size++
		}
		return t, size
	}
	for end, runes := 0, 0; end < len(c.s) && runes < 8; runes++ {
		_, w := utf8.DecodeRuneInString(c.s[end:])
		end += w
		if found, ok := terms()[c.s[:end]]; ok {
			t, size = found, end
		}
	}
	return t, size
}

// match returns the groups of a form at the start of the rest, unless a digit, or
// something that belongs to the number, follows.
func (c *cursor) match(f *lazyregexp.Regexp) []string {
	m := f.Get().FindStringSubmatch(c.s)
	if m == nil {
		return nil
	}
	rest := c.s[len(m[0]):]
	if rest != "" && (digit(rest[0]) && !strings.HasSuffix(m[0], "t") || strings.ContainsAny(rest[:1], "/:") ||
		(rest[0] == '-' || rest[0] == '.') && len(rest) > 1 && digit(rest[1])) {
		return nil
	}
	return m
}

// isAmountWord reports whether the rest begins with a number in words.
func (c *cursor) isAmountWord() bool {
	before := c.s
	_, _, ok := c.count()
	c.s = before
	return ok
}

// count parses a number: 3, 1.5, three, a, an, half an, a couple of, 半, 三.
func (c *cursor) count() (n int, half, ok bool) {
	for i, w := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
		"twelve"} {
		if c.take(w) {
			return i + 1, c.take("and a half"), true
		}
	}
	switch {
	case c.take("a couple of", "couple of", "a couple"):
		return 2, false, true
	case c.take("half an", "half a", "a half", "半"):
		return 0, true, true
	case c.take("an", "a"):
		return 1, false, true
	}
	n, size := number(c.s)
	if size == 0 || n > maxAmount {
		return 0, false, false
	}
	rest := c.s[size:]
	if after, found := strings.CutPrefix(rest, ".5"); found && (after == "" || !digit(after[0])) {
		half, rest = true, after
	}
	c.s = strings.TrimLeft(rest, " ")
	return n, half || c.take("and a half"), true
}

// unit parses the name of a unit. Fortnights and quarters are several of one.
func (c *cursor) unit() (u unit, times int, name string) {
	for _, names := range unitNames {
		for _, name := range names.names {
			if c.take(name) {
				return names.unit, names.times, name
			}
		}
	}
	return 0, 0, ""
}

// minutesBehind matches the minutes behind hours: h30.
var minutesBehind = lazyregexp.New(`^h([0-5]\d)(?:$| )`)

// amounts parses one or more numbers of units: 2 hours, 1h30m, 1時間半.
func (c *cursor) amounts() (all []amount, ok bool) {
	for minutes, names := range map[int][]string{45: {"three quarters of an hour", "three-quarters of an hour"},
		15: {"a quarter of an hour", "quarter of an hour"}} {
		if c.take(names...) {
			return []amount{{n: minutes, unit: minute}}, true
		}
	}
	for {
		before := c.s
		n, half, ok := c.count()
		if !ok {
			c.s = before
			return all, len(all) > 0
		}
		number := c.s
		u, times, name := c.unit()
		if u == 0 || half && u != hour && u != minute && u != year || n*times > maxAmount {
			c.s = before
			return all, len(all) > 0
		}
		if c.take("and a half", "半") {
			if half || u != hour && u != minute && u != year {
				return nil, false
			}
			half = true
		}
		all = append(all, amount{n: n * times, half: half, unit: u, m: name == "m"})
		if m := minutesBehind.Get().FindStringSubmatch(number); name == "h" && m != nil { // 1h30
			minutes, _ := strconv.Atoi(m[1])
			all, c.s = append(all, amount{n: minutes, unit: minute}), number[len(m[0]):]
			return all, true
		}
		c.take("and", ",")
	}
}
