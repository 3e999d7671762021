package recur

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// hostileRule generates a rule with absurd parts.
func hostileRule(random *rand.Rand) string {
	list := func(low, high int) string {
		var all []string
		for range 1 + random.IntN(1<<random.IntN(9)) {
			n := low + random.IntN(high-low+1)
			if n == 0 && low < 0 {
				n = 1
			}
			all = append(all, fmt.Sprint(n))
		}
		return strings.Join(all, ",")
	}
	b := "FREQ=" + freqNames[random.IntN(len(freqNames))]
	for _, part := range []func() string{
		func() string { return fmt.Sprint("INTERVAL=", []int{1, 2, 7, 400, 86400, 999_999}[random.IntN(6)]) },
		func() string { return fmt.Sprint("COUNT=", []int{1, 100, 999_999_999}[random.IntN(3)]) },
		func() string { return "BYSECOND=" + list(0, 59) }, func() string { return "BYMINUTE=" + list(0, 59) },
		func() string { return "BYHOUR=" + list(0, 23) },
		func() string { return "BYMONTHDAY=" + list(-31, 31) }, func() string { return "BYYEARDAY=" + list(-366, 366) },
		func() string { return "BYWEEKNO=" + list(-53, 53) },
		func() string { return "BYMONTH=" + list(1, 12) }, func() string { return "BYSETPOS=" + list(-366, 366) },
		func() string {
			return "BYDAY=" + []string{"MO", "5MO", "-5SU", "SU,MO,TU,WE,TH,FR,SA", "1MO,2TU,-1FR"}[random.IntN(5)]
		},
	} {
		if random.IntN(4) == 0 {
			b += ";" + part()
		}
	}
	return b
}

// TestBudget checks that a walk stops when its budget is spent and reports it, and
// that a completed walk gives the same occurrences as one without a budget.
func TestBudget(t *testing.T) {
	random := testenv.Random(t)
	start := time.Date(2020, 1, 5, 10, 0, 0, 0, time.UTC)
	read, spent := 0, 0
	for range 3000 {
		text := hostileRule(random)
		r, err := Parse(text)
		if err != nil {
			continue
		}
		read++
		from := start.AddDate(random.IntN(20), 0, 0)
		to := from.AddDate([]int{0, 1, 8000}[random.IntN(3)], 0, 1)
		const most = 2000
		b := &Budget{Steps: most}
		n := 0
		whole := New(r, start, false, time.Time{}).Limit(b).Walk(from, to, func(time.Time) bool { n++; return true })
		if b.Steps < -2 || n > most {
			t.Fatalf("%s: %d steps and %d occurrences, at most %d", text, most-b.Steps, n, most)
		}
		if whole != (b.Steps >= 0) && b.Steps < 0 {
			t.Fatalf("%s: budget spent, but the walk reports success", text)
		}
		if b.Steps < 0 {
			spent++
			continue
		}
		again := 0
		if New(r, start, false, time.Time{}).Walk(from, to, func(time.Time) bool { again++; return true }); again != n {
			t.Fatalf("%s: %d occurrences with a budget, %d without", text, n, again)
		}
	}
	if read < 500 || spent < 50 {
		t.Errorf("only %d rules were read, and %d spent their steps", read, spent)
	}
}
