package office

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// cellText returns what a cell of a sheet shows: the result of its formula, a text, or a date.
func cellText(c *node, shared []string, dates map[string]bool, from1904 bool) string {
	value := c.child("v").text()
	switch c.attr["t"] {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && i >= 0 && i < len(shared) {
			value = shared[i]
		}
	case "inlineStr":
		value = c.child("is").text()
	case "b":
		value = map[string]string{"1": "TRUE", "0": "FALSE"}[value]
	case "", "n":
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			if dates[c.attr["s"]] {
				return dateOf(n, from1904)
			}
			if n == math.Trunc(n) && math.Abs(n) < 1e15 {
				return strconv.FormatFloat(n, 'f', -1, 64)
			}
			if short := strconv.FormatFloat(n, 'g', 15, 64); !strings.Contains(short, "e") {
				return short // 0.1+0.2 is shown as .3
			}
		}
	}
	return strings.Join(strings.Fields(value), " ")
}

// dateOf returns the date of a number of days since 1900 or 1904, with its time if it has one.
func dateOf(days float64, from1904 bool) string {
	begin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC) // 1900 counts as a leap year
	if from1904 {
		begin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if days < 0 || days > 3_000_000 {
		return strconv.FormatFloat(days, 'f', -1, 64)
	}
	at := begin.Add(time.Duration(math.Round(days*86400)) * time.Second)
	switch {
	case days < 1:
		return at.Format("15:04")
	case at.Equal(at.Truncate(24 * time.Hour)):
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02 15:04")
}
