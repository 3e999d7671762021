package dates

import "time"

// A holiday is a fixed date (dateTerm), a weekday of a month (holidayTerm), or a feast whose day
// depends on the year (feastTerm). A name that means different days in the United States, the
// United Kingdom, Germany and Japan is left out: "Mother's Day" is refused, 母の日 is understood.

// nthDay is the number of a holidayTerm: the nth weekday of a month, -1 for the last.
func nthDay(month time.Month, day time.Weekday, nth int) int {
	return int(month)*100 + int(day)*10 + nth + 1
}

// adder adds the names of holidays.
type adder func(k kind, first, step int, names ...[]string)

func (add adder) fixed(date int, names ...string) { add(dateTerm, date, 1, names) }

func (add adder) nth(month time.Month, day time.Weekday, n int, names ...string) {
	add(holidayTerm, nthDay(month, day, n), 1, names)
}

func (add adder) feast(f int, names ...string) { add(feastTerm, f, 1, names) }

func (add adder) holidays() {
	add.american()
	add.british()
	add.christian()
	add.german()
	add.japanese()
}

func (add adder) american() {
	add.nth(1, time.Monday, 3, "martin luther king day", "martin luther king jr day", "mlk day")
	add.nth(2, time.Monday, 3, "presidents' day", "presidents day", "president's day", "washington's birthday")
	add.nth(5, time.Monday, -1, "memorial day", "spring bank holiday")
	add.fixed(619, "juneteenth")
	add.fixed(704, "independence day", "fourth of july", "the fourth of july")
	add.nth(9, time.Monday, 1, "labor day")
	add.nth(10, time.Monday, 2, "columbus day", "indigenous peoples' day", "indigenous peoples day")
	add.fixed(1111, "veterans day", "veteran's day", "veterans' day")
	add.nth(11, time.Thursday, 4, "thanksgiving", "thanksgiving day")
	add.feast(blackFriday, "black friday")
	add.feast(cyberMonday, "cyber monday")
	add.fixed(317, "st patrick's day", "saint patrick's day", "st patricks day")
	add.nth(6, time.Sunday, 3, "father's day", "fathers day", "父の日")
}

func (add adder) british() {
	add.nth(5, time.Monday, 1, "early may bank holiday", "may day bank holiday")
	add.nth(8, time.Monday, -1, "summer bank holiday", "late summer bank holiday", "august bank holiday")
	add.fixed(1226, "boxing day", "zweiter weihnachtstag", "zweiter weihnachtsfeiertag")
	add.fixed(1105, "bonfire night", "guy fawkes night", "guy fawkes day")
	add.nth(11, time.Sunday, 2, "remembrance sunday")
	add.fixed(301, "st david's day", "saint david's day")
	add.fixed(423, "st george's day", "saint george's day")
	add.fixed(1130, "st andrew's day", "saint andrew's day")
	add.feast(easter-21, "mothering sunday")
}

func (add adder) christian() {
	add.feast(easter-48, "rosenmontag")
	add.feast(easter-47, "shrove tuesday", "pancake day", "mardi gras", "fastnacht")
	add.feast(easter-46, "ash wednesday", "aschermittwoch")
	add.feast(easter-7, "palm sunday", "palmsonntag")
	add.feast(easter-3, "maundy thursday", "gruendonnerstag")
	add.feast(easter-2, "good friday", "karfreitag")
	add.feast(easter-1, "holy saturday", "easter saturday", "karsamstag")
	add.feast(easter, "easter", "easter sunday", "ostern", "ostersonntag", "イースター", "復活祭")
	add.feast(easter+1, "easter monday", "ostermontag")
	add.feast(easter+39, "ascension day", "christi himmelfahrt", "himmelfahrt", "vatertag")
	add.feast(easter+49, "pentecost", "whit sunday", "pfingsten", "pfingstsonntag")
	add.feast(easter+50, "whit monday", "pfingstmontag")
	add.feast(easter+60, "corpus christi", "fronleichnam")
	add.feast(repentance, "buss und bettag")
}

func (add adder) german() {
	add.fixed(101, "neujahr", "neujahrstag")
	add.fixed(106, "heilige drei koenige", "dreikoenigstag")
	add.fixed(308, "frauentag", "internationaler frauentag", "international women's day")
	add.fixed(501, "tag der arbeit", "メーデー", "may day")
	add.nth(5, time.Sunday, 2, "muttertag", "母の日")
	add.fixed(808, "augsburger friedensfest")
	add.fixed(815, "mariae himmelfahrt")
	add.fixed(920, "weltkindertag")
	add.fixed(1003, "tag der deutschen einheit", "day of german unity", "german unity day")
	add.fixed(1031, "reformationstag")
	add.fixed(1101, "allerheiligen", "all saints' day", "all saints day")
	add.fixed(1206, "nikolaustag")
	add.fixed(1224, "heiligabend")
	add.fixed(1225, "weihnachten", "erster weihnachtstag", "erster weihnachtsfeiertag")
	add.fixed(1231, "silvester")
}

func (add adder) japanese() {
	add.nth(1, time.Monday, 2, "成人の日")
	add.fixed(211, "建国記念の日", "建国記念日")
	add.fixed(223, "天皇誕生日")
	add.feast(vernalEquinox, "春分の日", "春分")
	add.fixed(429, "昭和の日")
	add.fixed(503, "憲法記念日")
	add.fixed(504, "みどりの日")
	add.fixed(505, "こどもの日", "子どもの日", "子供の日")
	add.feast(marineDay, "海の日")
	add.feast(mountainDay, "山の日")
	add.fixed(303, "ひな祭り", "雛祭り", "桃の節句")
	add.fixed(314, "ホワイトデー")
	add.fixed(707, "七夕")
	add.fixed(1115, "七五三")
	add.nth(9, time.Monday, 3, "敬老の日")
	add.feast(autumnalEquinox, "秋分の日", "秋分")
	add.feast(sportsDay, "スポーツの日", "体育の日")
	add.fixed(1103, "文化の日")
	add.fixed(1123, "勤労感謝の日")
}

// Yearly is a day of the year: Day, or the Nth weekday of the month, from 1, -1 for the last.
type Yearly struct {
	Month   time.Month
	Day     int
	Weekday time.Weekday
	Nth     int
}

// Holiday returns the holiday at the beginning of a text, unless its day depends on more than its
// month, and the size of its name; 0 for none.
func Holiday(text string) (day Yearly, size int) {
	t, size := (&cursor{text}).findTerm()
	switch {
	case size > 0 && t.kind == dateTerm:
		return Yearly{Month: time.Month(t.n / 100), Day: t.n % 100}, size
	case size > 0 && t.kind == holidayTerm:
		return Yearly{Month: time.Month(t.n / 100), Weekday: time.Weekday(t.n / 10 % 10), Nth: t.n%10 - 1}, size
	}
	return day, 0
}

// The feasts. One that depends on Easter is its number and the distance in days.
const (
	easter = iota*1000 + 1000
	blackFriday
	cyberMonday
	repentance // Buß- und Bettag
	vernalEquinox
	autumnalEquinox
	marineDay
	mountainDay
	sportsDay
)

func feastDay(feast, year int) time.Time {
	day := func(month time.Month, d int) time.Time { return time.Date(year, month, d, 0, 0, 0, 0, time.UTC) }
	switch feast {
	case blackFriday:
		return nthWeekday(year, time.November, time.Thursday, 4).AddDate(0, 0, 1)
	case cyberMonday:
		return nthWeekday(year, time.November, time.Thursday, 4).AddDate(0, 0, 4)
	case repentance: // the Wednesday before 23 November
		end := day(time.November, 22)
		return end.AddDate(0, 0, -(int(end.Weekday())-int(time.Wednesday)+7)%7)
	case vernalEquinox:
		return day(time.March, equinox(20.8431, year))
	case autumnalEquinox:
		return day(time.September, equinox(23.2488, year))
	case marineDay, mountainDay, sportsDay:
		return movedDay(feast, year)
	}
	return easterDay(year).AddDate(0, 0, feast-easter)
}

// movedDay returns the day of a Japanese holiday that the Olympic Games of 2020 and 2021 moved.
func movedDay(feast, year int) time.Time {
	type key struct{ feast, year int }
	if date := map[key]int{{marineDay, 2020}: 723, {marineDay, 2021}: 722, {mountainDay, 2020}: 810,
		{mountainDay, 2021}: 808, {sportsDay, 2020}: 724, {sportsDay, 2021}: 723}[key{feast, year}]; date != 0 {
		return time.Date(year, time.Month(date/100), date%100, 0, 0, 0, 0, time.UTC)
	}
	switch feast {
	case marineDay:
		return nthWeekday(year, time.July, time.Monday, 3)
	case sportsDay:
		return nthWeekday(year, time.October, time.Monday, 2)
	}
	return time.Date(year, time.August, 11, 0, 0, 0, 0, time.UTC)
}

func nthWeekday(year int, month time.Month, weekday time.Weekday, n int) time.Time {
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, (int(weekday)-int(first.Weekday())+7)%7+7*(n-1))
}

// equinox returns the day of the month of an equinox in Japan, by the usual approximation for the
// years from 1980 to 2099. first is its day in 1980, with a fraction.
func equinox(first float64, year int) int {
	return int(first + 0.242194*float64(year-1980) - float64((year-1980)/4))
}

// easterDay returns Easter Sunday of the Gregorian calendar (Meeus, Jones, Butcher).
func easterDay(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
