package recur

import "encoding/binary"

// Filter is a compact summary of a series. It answers quickly whether an
// occurrence may lie in a window, and never misses one.
type Filter struct {
	start     int64
	interval  int64
	freq      Freq
	week      int64
	weekdays  uint8  // bit set; 0 means any
	months    uint16 // bit set; 0 means any
	days      uint32 // days of the month; 0 means any
	fromEnd   uint32 // days counted from the end of the month, in addition to days
	timeOfDay int64  // seconds, or -1 if there are several
}

// FilterBytes is the size of an encoded filter.
const FilterBytes = 8 + 4 + 1 + 1 + 1 + 2 + 4 + 4 + 4

// longWindow is the number of days up to which a window is checked day by day.
const longWindow = 40

// Filter returns the filter of a series.
func (s *Series) Filter() Filter {
	f := Filter{start: s.start, interval: int64(s.rule.Interval), freq: s.rule.Freq, week: int64(s.rule.Week),
		weekdays: s.weekdays, months: s.months, timeOfDay: -1}
	if s.rule.Freq < Hourly && s.perDay() == 1 {
		f.timeOfDay = s.day()[0]
	}
	for _, d := range s.monthDays {
		if d > 0 {
			f.days |= 1 << d
		} else {
			f.fromEnd |= 1 << -d
		}
	}
	if len(s.nth) == 0 {
		return f
	}
	ofMonth := s.rule.Freq == Monthly || s.months != 0
	inMonth := uint32(0)
	for _, n := range s.nth {
		f.weekdays |= 1 << n.Weekday
		if n.N < 0 {
			ofMonth = false
		}
		for d := (n.N-1)*7 + 1; d > 0 && d <= min(n.N*7, 31); d++ {
			inMonth |= 1 << d
		}
	}
	if ofMonth && s.weekdays == 0 && len(s.monthDays) == 0 {
		f.days = inMonth
	}
	return f
}

// Append appends the encoded filter to b.
func (f Filter) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(f.start))
	b = binary.BigEndian.AppendUint32(b, uint32(f.interval))
	b = append(b, byte(f.freq), byte(f.week), f.weekdays)
	b = binary.BigEndian.AppendUint16(b, f.months)
	b = binary.BigEndian.AppendUint32(b, f.days)
	b = binary.BigEndian.AppendUint32(b, f.fromEnd)
	return binary.BigEndian.AppendUint32(b, uint32(int32(f.timeOfDay)))
}

// ReadFilter decodes a filter; b has at least FilterBytes bytes.
func ReadFilter(b []byte) Filter {
	return Filter{
		start: int64(binary.BigEndian.Uint64(b)), interval: int64(binary.BigEndian.Uint32(b[8:])),
		freq: Freq(b[12]), week: int64(b[13]), weekdays: b[14], months: binary.BigEndian.Uint16(b[15:]),
		days: binary.BigEndian.Uint32(b[17:]), fromEnd: binary.BigEndian.Uint32(b[21:]),
		timeOfDay: int64(int32(binary.BigEndian.Uint32(b[25:]))),
	}
}

// May reports whether an occurrence may lie in the window [from, to), given as
// wall clocks in seconds since 1970.
func (f *Filter) May(from, to int64) bool {
	first, last := floorDiv(from, 86400), floorDiv(to-1, 86400)
	if to <= f.start {
		return false
	}
	if last-first > longWindow || f.interval == 0 {
		return true
	}
	for day := max(first, floorDiv(f.start, 86400)); day <= last; day++ {
		if f.timeOfDay >= 0 {
			if at := day*86400 + f.timeOfDay; at < from || at >= to {
				continue
			}
		}
		if f.counted(day) && (f.anyDate() || f.date(civil(day))) {
			return true
		}
	}
	return false
}

// counted reports whether a day is one of the filter's weekdays, and of its days or weeks
// counted from the start.
func (f *Filter) counted(day int64) bool {
	if f.weekdays != 0 && f.weekdays&(1<<weekdayOf(day)) == 0 {
		return false
	}
	first := floorDiv(f.start, 86400)
	switch f.freq {
	case Daily:
		if (day-first)%f.interval != 0 {
			return false
		}
	case Weekly:
		begin := first - (weekdayOf(first)-f.week+7)%7
		if floorDiv(day-begin, 7)%f.interval != 0 {
			return false
		}
	}
	return true
}

// anyDate reports whether the filter has every date, so that none needs to be computed.
func (f *Filter) anyDate() bool {
	return f.months == 0 && f.days|f.fromEnd == 0 && (f.interval == 1 || f.freq != Monthly && f.freq != Yearly)
}

// date reports whether the filter has a date, in a month or year counted from the start.
func (f *Filter) date(d date) bool {
	if f.months != 0 && f.months&(1<<d.month) == 0 {
		return false
	}
	if f.interval > 1 {
		start := civil(floorDiv(f.start, 86400))
		if f.freq == Monthly && (d.months()-start.months())%f.interval != 0 || f.freq == Yearly &&
			(d.year-start.year)%f.interval != 0 {
			return false
		}
	}
	if f.days|f.fromEnd == 0 || f.days&(1<<d.day) != 0 {
		return true
	}
	return f.fromEnd != 0 && f.fromEnd&(1<<(d.monthLength()+1-d.day)) != 0
}
