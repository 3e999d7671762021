package calendar

import (
	"context"
	"slices"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/store"
	"techo/tools"
)

// Suggest finds times when something could be.
var Suggest = tools.Define(tools.Tool{
	Name:    "suggest_schedule",
	Command: "cal suggest",
	About:   tools.Say{EN: "Suggest free times for something", JA: "空き枠の候補を提案する"},
	More: tools.Say{
		EN: "At most 5 times that are really free, from date_from to date_to within the preferred hours, with the reason for each. When there is none, reason says why and alternatives what comes nearest. preferred_time_to before preferred_time_from is the next morning.",
		JA: "date_from から date_to までの希望時間帯から、実際に空いている枠を最大5件、理由とともに返す。無い場合は reason に理由、alternatives に近い候補を返す。preferred_time_to が preferred_time_from より前なら翌朝までとする。",
	},
	Effect:  tools.Reads,
	World:   true,
	Words:   []string{"date_from", "date_to", "duration_minutes"},
	Refused: tools.Say{EN: "Could not suggest times: %s", JA: "候補の提案に失敗しました: %s"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "An hour within the next days", JA: "数日以内の1時間"}, Line: `cal suggest --date-from tomorrow --date-to +7d --duration-minutes 60`},
		{Does: tools.Say{EN: "Half an hour on a working morning", JA: "平日午前の30分"}, Line: `cal suggest today +14d 30 --preferred-time-to 12:00 --days work --buffer 10 -o text`},
	},
}, suggestSchedule)

// SuggestIn is the input of suggest_schedule.
type SuggestIn struct {
	DateFrom  string   `json:"date_from" min:"1" en:"The first day" ja:"開始日"`
	DateTo    string   `json:"date_to" min:"1" en:"The last day, included" ja:"終了日（この日を含む）"`
	Duration  int      `json:"duration_minutes" min:"1" max:"1440" en:"How long it takes, in minutes" ja:"所要時間（分）"`
	TimeFrom  string   `json:"preferred_time_from" default:"09:00" en:"Not earlier on a day" ja:"希望時間帯の開始"`
	TimeTo    string   `json:"preferred_time_to" default:"18:00" en:"Not later on a day; 24:00 is its end" ja:"希望時間帯の終了（24:00 は日の終わり）"`
	Limit     int      `json:"limit" default:"5" min:"1" max:"50" en:"Suggestions at most" ja:"候補の最大件数"`
	Step      int      `json:"step,omitempty" min:"5" max:"60" en:"Starts are at multiples of so many minutes of an hour: 5, 6, 10, 12, 15, 20, 30 or 60 (default: 30, or 15 for less than half an hour)" ja:"開始時刻の刻み（分。60 の約数。省略時は 30、30分未満なら 15）"`
	Align     string   `json:"align" default:"auto" enum:"auto,strict" en:"Whether other starts are taken where none of these fits" ja:"刻みに合う枠が無いとき、他の開始時刻も使うか"`
	Days      string   `json:"days" default:"all" en:"all, work (Monday to Friday), or weekdays: mon,tue" ja:"all、work（月〜金）、または曜日（mon,tue）"`
	Buffer    int      `json:"buffer" default:"0" min:"0" max:"480" en:"Minutes to keep free before and after other events" ja:"前後の予定との間隔（分）"`
	Notice    int      `json:"notice" default:"0" min:"0" max:"525600" en:"Not within so many minutes from now" ja:"今から何分後以降か"`
	Strategy  string   `json:"strategy" default:"spread" enum:"spread,earliest,compact" en:"Over the days, as early as possible, or next to other events" ja:"日を分散、早い順、または他の予定の隣"`
	Tentative string   `json:"tentative" default:"busy" enum:"busy,free" en:"What tentative events count as" ja:"仮の予定の扱い"`
	AllDay    string   `json:"all_day" default:"transparency" enum:"transparency,block,ignore" en:"What events of whole days count as: what they say themselves, busy, or nothing" ja:"終日の予定の扱い（transparency は予定の設定に従う、block は常に予定あり、ignore は無視）"`
	Calendar  string   `json:"calendar,omitempty" en:"The calendar's name; all is every one (default: default)" ja:"カレンダー名。all ですべて（省略時は default）"`
	Calendars []string `json:"calendars,omitempty" en:"More calendars, which have to be free too" ja:"併せて空いている必要のあるカレンダー名"`
	Optional  []string `json:"optional,omitempty" en:"Calendars that are better free, but need not be" ja:"空いている方がよいカレンダー名（必須ではない）"`
	Partial   bool     `json:"allow_partial,omitempty" en:"Suggest by the calendars that could be read, when others could not" ja:"読めないカレンダーがあっても、読めたものだけで提案する"`
}

// Suggestion is a time that is free.
type Suggestion struct {
	Date            string   `json:"date"`
	Weekday         string   `json:"weekday"`
	Start           string   `json:"start"`
	End             string   `json:"end"`
	Timezone        string   `json:"timezone"`
	FreeFrom        string   `json:"free_from"`
	FreeUntil       string   `json:"free_until"`
	DurationMinutes int      `json:"duration_minutes"`
	Aligned         bool     `json:"aligned"`
	Score           int      `json:"score"`
	Label           string   `json:"label,omitempty"` // of an alternative: what it leaves
	Why             []string `json:"why"`
}

// SuggestOut is the result of suggest_schedule.
type SuggestOut struct {
	Suggestions  []Suggestion `json:"suggestions"`
	Count        int          `json:"count"`
	Reason       string       `json:"reason"` // "" when there are suggestions
	Longest      int          `json:"longest_free_minutes"`
	Alternatives []Suggestion `json:"alternatives"`
	BlockedBy    []Event      `json:"blocked_by"`
	DateFrom     string       `json:"date_from"`
	DateTo       string       `json:"date_to"`
	Timezone     string       `json:"timezone"`
	Strategy     string       `json:"strategy"`
	GeneratedAt  string       `json:"generated_at"`
	Checked      []string     `json:"checked"`
	Unchecked    []Unchecked  `json:"unchecked"`
	Problems     []Problem    `json:"problems"`
	Message      string       `json:"message"`
}

// Most days that a suggestion may be looked for in, and those after them where
// an alternative is: mostly in the first few, which are read along with the others.
const (
	maxSuggestDays = 92
	daysBeyond     = 14
	daysNear       = 2
)

// search is a question for times, read.
type search struct {
	slotQuery
	env        *tools.Env
	first, end time.Time // midnights on the clock
	from, to   time.Duration
	days       [7]bool
	busy       []stretch
	taken      []store.Occurrence
	names      []string
	policy     busyPolicy
	partial    bool
}

func suggestSchedule(ctx context.Context, env *tools.Env, in SuggestIn) (out SuggestOut, err error) {
	s, err := newSearch(env, in)
	if err != nil {
		return out, err
	}
	g, err := gather(ctx, env, s.query(s.first, s.end.AddDate(0, 0, daysNear)))
	if err != nil {
		return out, explain(env, err)
	}
	out = SuggestOut{
		Suggestions: []Suggestion{}, Alternatives: []Suggestion{}, BlockedBy: []Event{},
		DateFrom: s.first.Format(time.DateOnly), DateTo: s.end.AddDate(0, 0, -1).Format(time.DateOnly), Timezone: zoneName(env),
		Strategy: in.Strategy, GeneratedAt: env.Time(env.Now()), Checked: g.checked, Unchecked: g.unchecked, Problems: problemsOf(g.Problems),
	}
	if len(g.unchecked) > 0 && (!in.Partial || len(g.checked) == 0) {
		out.Reason = "calendar_unchecked"
		out.Message = env.Say(reasons[out.Reason])
		return out, nil
	}
	s.take(s.policy.keep(g.Occurrences))
	if err := s.hear(ctx, in.Optional, &out); err != nil {
		return out, explain(env, err)
	}
	windows := s.windows(s.first, s.end, s.from, s.to)
	var all []slot
	for _, w := range windows {
		all = append(all, s.slots(w, s.busy)...)
		for _, b := range s.blocks(w, s.busy) {
			out.Longest = max(out.Longest, b.minutes())
		}
	}
	for _, c := range s.choose(all) {
		out.Suggestions = append(out.Suggestions, s.suggestion(c))
	}
	out.Count = len(out.Suggestions)
	out.Message = env.Say(tools.Say{EN: "%s found", JA: "%sの候補が見つかりました。"}, plural(env, out.Count, "suggestion", "suggestions", "件"))
	if out.Count == 0 {
		out.Reason = s.reason(windows, out.Longest)
		out.BlockedBy = eventsOf(env, s.blockers(windows))
		if out.Alternatives, err = s.alternatives(ctx); err != nil {
			return out, explain(env, err)
		}
		out.Message = env.Say(tools.Say{EN: "No suggestion: %s", JA: "候補が見つかりませんでした（%s）"}, env.Say(reasons[out.Reason]))
	}
	return out, nil
}

// query asks for what is busy from one midnight up to another, and for what
// reaches into it.
func (s *search) query(first, end time.Time) gathering {
	q := store.EventQuery{From: at(s.env, first).Add(-s.buffer), To: at(s.env, end.Add(max(0, s.to-24*time.Hour))).Add(s.buffer), Busy: s.policy.allDay != "block"}
	return gathering{EventQuery: q, names: s.names, times: true, whole: true}
}

// hear learns when those are busy who need not come. One of theirs that could
// not be read is told, and counts for nothing.
func (s *search) hear(ctx context.Context, names []string, out *SuggestOut) error {
	if len(names) == 0 {
		return nil
	}
	q := s.query(s.first, s.end.AddDate(0, 0, daysNear))
	q.names = names
	g, err := gather(ctx, s.env, q)
	if err != nil {
		return err
	}
	for _, o := range s.policy.keep(g.Occurrences) {
		s.optional = append(s.optional, stretch{o.From, o.To})
	}
	s.optional = merged(s.optional, stretch{s.first.AddDate(-100, 0, 0), s.end.AddDate(100, 0, 0)})
	out.Checked, out.Unchecked = append(out.Checked, g.checked...), append(out.Unchecked, g.unchecked...)
	return nil
}

// take adds events that take their time.
func (s *search) take(busy []store.Occurrence) {
	if s.taken == nil {
		s.taken = busy
	} else {
		s.taken = append(s.taken, busy...)
	}
	for i := range busy {
		s.busy = append(s.busy, stretch{busy[i].From, busy[i].To})
	}
	s.busy = merged(s.busy, stretch{s.first.AddDate(-100, 0, 0), s.end.AddDate(100, 0, 0)})
}

// reasons say why there is no suggestion.
var reasons = map[string]tools.Say{
	"calendar_unchecked":           {EN: "a calendar could not be read", JA: "読めないカレンダーがあります"},
	"window_shorter_than_duration": {EN: "the preferred hours are shorter than that", JA: "希望時間帯が所要時間より短い"},
	"window_in_past":               {EN: "all of that time is over, or too soon", JA: "期間が過去、または直前すぎます"},
	"no_working_days":              {EN: "there is no such weekday among these days", JA: "対象の曜日がありません"},
	"all_busy":                     {EN: "all of the time is taken", JA: "すべて予定が入っています"},
	"no_block_long_enough":         {EN: "no free time is long enough", JA: "十分な長さの空きがありません"},
}

// newSearch reads a question.
func newSearch(env *tools.Env, in SuggestIn) (*search, error) {
	f := &faults{env: env}
	s := &search{env: env, names: calendars(in.Calendar, in.Calendars), policy: busyPolicy{in.Tentative == "free", in.AllDay}, partial: in.Partial}
	s.first, s.end = f.span("", in.DateFrom, in.DateTo)
	if s.end.Sub(s.first) > maxSuggestDays*24*time.Hour {
		f.add("date_to", tools.Say{EN: "must be within %d days of date_from", JA: "date_from から%d日以内にしてください"}, maxSuggestDays)
	}
	s.from, s.to = f.clock("preferred_time_from", in.TimeFrom, 9*time.Hour), f.clock("preferred_time_to", in.TimeTo, 18*time.Hour)
	if s.from == s.to {
		f.add("preferred_time_to", tools.Say{EN: "must not be preferred_time_from", JA: "preferred_time_from と異なる時刻にしてください"})
	}
	if s.to < s.from {
		s.to += 24 * time.Hour
	}
	step := in.Step
	switch {
	case step == 0 && in.Duration < 30:
		step = 15
	case step == 0:
		step = 30
	case 60%step != 0:
		f.add("step", tools.Say{EN: "must divide 60, as 15 does", JA: "60 の約数にしてください（例: 15）"})
	}
	s.days = f.weekdays(in.Days)
	s.slotQuery = slotQuery{
		zone: env.Zone, length: time.Duration(in.Duration) * time.Minute, step: step, strict: in.Align == "strict", limit: in.Limit, strategy: in.Strategy,
		earliest: env.Now().Add(time.Duration(in.Notice) * time.Minute), buffer: time.Duration(in.Buffer) * time.Minute,
	}
	return s, f.err()
}

// weekdays reads all, work, or names of weekdays.
func (f *faults) weekdays(text string) (days [7]bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "all", "":
		return [7]bool{true, true, true, true, true, true, true}
	case "work":
		return [7]bool{false, true, true, true, true, true, false}
	}
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' || r == '、' }) {
		d, ok := dates.Weekday(name)
		if !ok {
			f.add("days", tools.Say{EN: "must be all, work or weekdays such as mon,tue, not %q", JA: "all、work、または mon,tue のような曜日にしてください（「%s」は不可）"}, clip(text))
			return days
		}
		days[d] = true
	}
	return days
}

// windows are the times of day from one midnight up to another.
func (s *search) windows(first, end time.Time, from, to time.Duration) (all []window) {
	for d, n := first, 0; d.Before(end); d, n = d.AddDate(0, 0, 1), n+1 {
		if s.days[d.Weekday()] {
			all = append(all, window{n, stretch{at(s.env, d.Add(from)), at(s.env, d.Add(to))}})
		}
	}
	return all
}

// reason says why no slot was found.
func (s *search) reason(windows []window, longest int) string {
	if len(windows) == 0 {
		return "no_working_days"
	}
	fits, future := false, false
	for _, w := range windows {
		fits = fits || w.to.Sub(w.from) >= s.length
		from := w.from
		if from.Before(s.earliest) {
			from = s.earliest
		}
		future = future || w.to.Sub(from) >= s.length
	}
	switch {
	case !fits:
		return "window_shorter_than_duration"
	case !future:
		return "window_in_past"
	case longest == 0:
		return "all_busy"
	}
	return "no_block_long_enough"
}

// blockers are the three events that take most of the time.
func (s *search) blockers(windows []window) []store.Occurrence {
	taken := make([]time.Duration, len(s.taken))
	order := make([]int, len(s.taken))
	for i, o := range s.taken {
		order[i] = i
		for _, w := range windows {
			for _, part := range merged([]stretch{{o.From, o.To}}, w.stretch) {
				taken[i] += part.to.Sub(part.from)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int((taken[b] - taken[a]) / time.Second) })
	var top []store.Occurrence
	for _, i := range order[:min(3, len(order))] {
		if taken[i] > 0 && s.taken[i].Event.ID != "" { // Google does not tell what it is
			top = append(top, s.taken[i])
		}
	}
	return top
}

// alternatives are the first times at other hours of the days, then the first at
// the preferred hours after them.
func (s *search) alternatives(ctx context.Context) ([]Suggestion, error) {
	all := []Suggestion{}
	add := func(windows []window, most int, label tools.Say) {
		q := *s
		q.limit, q.strategy, q.strict = most, "earliest", false
		var slots []slot
		for _, w := range windows {
			slots = append(slots, q.slots(w, s.busy)...)
		}
		for _, c := range q.choose(slots) {
			g := s.suggestion(c)
			g.Label = s.env.Say(label)
			all = append(all, g)
		}
	}
	add(s.windows(s.first, s.end, 0, 24*time.Hour), 2, tools.Say{EN: "outside the preferred hours", JA: "希望時間帯の外"})
	after := tools.Say{EN: "after these days", JA: "指定期間の後"}
	near, far := s.end.AddDate(0, 0, daysNear), s.end.AddDate(0, 0, daysBeyond)
	if add(s.windows(s.end, near, s.from, s.to), 3-len(all), after); len(all) == 3 {
		return all, nil
	}
	g, err := gather(ctx, s.env, s.query(near, far))
	if err != nil || len(g.unchecked) > 0 && !s.partial { // what could not be read is not free
		return all, err
	}
	s.take(s.policy.keep(g.Occurrences))
	add(s.windows(near, far, s.from, s.to), 3-len(all), after)
	return all, nil
}

// suggestion shows a slot.
func (s *search) suggestion(c slot) Suggestion {
	env := s.env
	from := c.from.In(env.Zone)
	g := Suggestion{
		Date: from.Format(time.DateOnly), Weekday: from.Weekday().String(), Start: env.Time(c.from), End: env.Time(c.to), Timezone: zoneName(env),
		FreeFrom: env.Time(c.block.from), FreeUntil: env.Time(c.block.to), DurationMinutes: c.minutes(), Aligned: c.aligned, Score: c.score, Why: []string{},
	}
	why := func(t tools.Say, args ...any) { g.Why = append(g.Why, env.Say(t, args...)) }
	switch {
	case from.Minute() == 0:
		why(tools.Say{EN: "starts on the hour", JA: "正時に開始"})
	case from.Minute() == 30:
		why(tools.Say{EN: "starts at half past", JA: "30分に開始"})
	case !c.aligned:
		why(tools.Say{EN: "no rounder start fits", JA: "切りのよい開始時刻では収まらない"})
	}
	if len(s.busy) == 0 || c.block.from.Equal(c.window.from) && c.block.to.Equal(c.window.to) {
		why(tools.Say{EN: "nothing else in these hours", JA: "この時間帯に他の予定なし"})
	} else {
		why(tools.Say{EN: "free for %d minutes before and %d after", JA: "前に%d分、後に%d分の空き"}, int(c.from.Sub(c.block.from)/time.Minute), int(c.block.to.Sub(c.to)/time.Minute))
	}
	if c.touches {
		why(tools.Say{EN: "next to another event", JA: "他の予定の隣"})
	}
	if c.missed {
		why(tools.Say{EN: "an optional calendar is busy", JA: "任意のカレンダーに予定あり"})
	} else if len(s.optional) > 0 {
		why(tools.Say{EN: "optional calendars are free too", JA: "任意のカレンダーも空き"})
	}
	if !s.lunch(&c) {
		why(tools.Say{EN: "not over lunch", JA: "昼休みにかからない"})
	}
	return g
}

// Text writes the suggestions, or why there are none and what comes nearest.
func (o SuggestOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	show := func(all []Suggestion) {
		for _, g := range all {
			from, err1 := time.Parse(time.RFC3339, g.Start)
			to, err2 := time.Parse(time.RFC3339, g.End)
			if err1 != nil || err2 != nil {
				continue // it was written by env.Time
			}
			text := "- " + weekdayName(env, from.In(env.Zone)) + " " + spanText(env, from, to) + " (" + strings.Join(g.Why, env.Say(tools.Say{EN: ", ", JA: "、"})) + ")"
			if g.Label != "" {
				text += " [" + g.Label + "]"
			}
			lines = append(lines, text)
		}
	}
	show(o.Suggestions)
	if len(o.Alternatives) > 0 {
		lines = append(lines, env.Say(tools.Say{EN: "Instead:", JA: "代わりの候補:"}))
		show(o.Alternatives)
	}
	for _, u := range o.Unchecked {
		lines = append(lines, env.Say(tools.Say{EN: "! not read: %s: %s", JA: "! 読めません: %s: %s"}, u.Calendar, u.Reason))
	}
	return strings.Join(lines, "\n")
}
