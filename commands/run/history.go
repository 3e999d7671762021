package run

import (
	"math"
	"strconv"
	"time"

	"techo/store/ledger"
)

// Limits of the settings of the history.
const (
	maxHistoryDays  = 36500
	minHistoryBytes = 1 << 20
)

// history reads the limits of the history of changes.
func (p *parser) history() (limits ledger.HistoryLimits) {
	if days, given := p.whole("history-days", 0, maxHistoryDays); given {
		limits.MaxAge, limits.Off = time.Duration(days)*24*time.Hour, days == 0
	}
	if size, given := p.whole("history-bytes", minHistoryBytes, math.MaxInt64); given {
		limits.MaxBytes = size
	}
	return limits
}

// whole reads a whole number; given is false for a setting without a value and
// for an invalid one.
func (p *parser) whole(name string, least, most int64) (n int64, given bool) {
	text, source := p.get(name)
	if text == "" && source != "--"+name {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err == nil && n >= least && n <= most:
		return n, true
	case most == math.MaxInt64:
		p.refuse(name, source, "must be a whole number from %d, not %q", least, text)
	default:
		p.refuse(name, source, "must be a whole number from %d to %d, not %q", least, most, text)
	}
	return 0, false
}
