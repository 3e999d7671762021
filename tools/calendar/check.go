package calendar

import (
	"context"
	"slices"
	"time"

	"techo/store"
	"techo/tools"
)

// Check tells whether one is free.
var Check = tools.Define(tools.Tool{
	Name:    "check_availability",
	Command: "cal check",
	About:   tools.Say{EN: "Tell whether a day, a time or a range of days is free", JA: "空き状況を確認する"},
	More: tools.Say{
		EN: "day (date): free from midnight to midnight? time_slot (date, time_from, time_to): free then? range (date_from, date_to): which days are free? available is null when a calendar could not be read: that is not free.",
		JA: "day（date）: その日は空いているか。time_slot（date、time_from、time_to）: その時間帯は空いているか。range（date_from、date_to）: 空いている日はどれか。カレンダーを読めなかった場合 available は null（空きとはみなさない）。",
	},
	Effect:  tools.Reads,
	World:   true,
	Words:   []string{"check_type", "date"},
	Refused: tools.Say{EN: "Could not check: %s", JA: "空き状況の確認に失敗しました: %s"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Is tomorrow afternoon free?", JA: "明日の午後は空いているか"}, Line: `cal check --check-type time_slot --date tomorrow --time-from 13:00 --time-to 17:00`},
		{Does: tools.Say{EN: "Which days of next week are free?", JA: "来週の空いている日"}, Line: `cal check range --date-from "next mon" --date-to +11d`},
	},
}, checkAvailability)

// CheckIn is the input of check_availability.
type CheckIn struct {
	CheckType string   `json:"check_type" enum:"day,time_slot,range" en:"What to check" ja:"確認の種類"`
	Date      string   `json:"date,omitempty" en:"The day, for day and time_slot" ja:"日付（day、time_slot で必須）"`
	DateFrom  string   `json:"date_from,omitempty" en:"The first day, for range" ja:"開始日（range で必須）"`
	DateTo    string   `json:"date_to,omitempty" en:"The last day, included, for range" ja:"終了日（この日を含む。range で必須）"`
	TimeFrom  string   `json:"time_from,omitempty" en:"From when, for time_slot, e.g. 13:00" ja:"開始時刻（time_slot で必須。例: 13:00）"`
	TimeTo    string   `json:"time_to,omitempty" en:"Until when, for time_slot; before time_from is the next day" ja:"終了時刻（time_slot で必須。time_from より前なら翌日）"`
	Tentative string   `json:"tentative" default:"busy" enum:"busy,free" en:"What tentative events count as" ja:"仮の予定の扱い"`
	AllDay    string   `json:"all_day" default:"transparency" enum:"transparency,block,ignore" en:"What events of whole days count as: what they say themselves, busy, or nothing" ja:"終日の予定の扱い（transparency は予定の設定に従う、block は常に予定あり、ignore は無視）"`
	Partial   bool     `json:"allow_partial,omitempty" en:"Judge by the calendars that could be read, when others could not" ja:"読めないカレンダーがあっても、読めたものだけで判断する"`
	Calendar  string   `json:"calendar,omitempty" en:"The calendar's name; all is every one (default: default)" ja:"カレンダー名。all ですべて（省略時は default）"`
	Calendars []string `json:"calendars,omitempty" en:"More calendars, which have to be free too" ja:"併せて確認するカレンダー名"`
}

// Stretch is a time.
type Stretch struct {
	Start   string `json:"start"`
	End     string `json:"end"`
	Minutes int    `json:"minutes"`
}

// CheckOut is the result of check_availability.
type CheckOut struct {
	Available     *bool       `json:"available"`
	CheckType     string      `json:"check_type"`
	DateFrom      string      `json:"date_from"`
	DateTo        string      `json:"date_to"`
	Weekday       string      `json:"weekday"`
	Timezone      string      `json:"timezone"`
	Busy          []Stretch   `json:"busy"`
	Free          []Stretch   `json:"free"`
	FreeDays      []string    `json:"free_days"`
	FreeMinutes   int         `json:"free_minutes"`
	Longest       int         `json:"longest_free_minutes"`
	NearestBefore *Stretch    `json:"nearest_free_before,omitempty"` // of a time that is taken: as long, and from now on
	NearestAfter  *Stretch    `json:"nearest_free_after,omitempty"`
	Conflicts     []Event     `json:"conflicts"`
	Touching      []Event     `json:"touching"`
	BusyFree      []Event     `json:"busy_free_all_day"` // events of whole days that block no time
	Checked       []string    `json:"checked"`
	Unchecked     []Unchecked `json:"unchecked"`
	Problems      []Problem   `json:"problems"`
	Message       string      `json:"message"`

	conflicts []store.Occurrence
	free      []stretch
	near      []stretch // nearest free times
}

// maxRange is how many days one question may be about.
const maxRange = 366

func checkAvailability(ctx context.Context, env *tools.Env, in CheckIn) (out CheckOut, err error) {
	f := &faults{env: env}
	first, end, within := f.window(in)
	if err := f.err(); err != nil {
		return out, err
	}
	names := calendars(in.Calendar, in.Calendars)
	around := gathering{EventQuery: store.EventQuery{From: within.from.Add(-time.Second), To: within.to.Add(time.Second)}, names: names, times: true, whole: true} // with what touches
	if in.CheckType == "range" {
		around.times = false // as the specification has it: what is on is asked for
	}
	g, err := gather(ctx, env, around)
	if err != nil {
		return out, explain(env, err)
	}
	policy := busyPolicy{tentativeIsFree: in.Tentative == "free", allDay: in.AllDay}
	out = CheckOut{
		CheckType: in.CheckType, DateFrom: first.Format(time.DateOnly), DateTo: end.AddDate(0, 0, -1).Format(time.DateOnly),
		Weekday: first.Weekday().String(), Timezone: zoneName(env), FreeDays: []string{},
		Checked: g.checked, Unchecked: g.unchecked, Problems: problemsOf(g.Problems),
	}
	var touching []store.Occurrence
	out.BusyFree = eventsOf(env, freeDays(g.Occurrences, within))
	taken := policy.keep(g.Occurrences)
	var busy []stretch
	for _, o := range taken {
		switch {
		case o.From.Before(within.to) && within.from.Before(o.To):
			if busy = append(busy, stretch{o.From, o.To}); o.Event.ID != "" { // Google does not tell what it is
				out.conflicts = append(out.conflicts, o)
			}
		case o.Event.ID == "":
		case o.From.Equal(within.to) || o.To.Equal(within.from):
			touching = append(touching, o)
		}
	}
	busy = merged(busy, within)
	out.free = gaps(busy, within)
	out.Busy, out.Free = stretches(env, busy), stretches(env, out.free)
	out.Conflicts, out.Touching = eventsOf(env, out.conflicts), eventsOf(env, touching)
	for _, s := range out.free {
		out.FreeMinutes += s.minutes()
		out.Longest = max(out.Longest, s.minutes())
	}
	known := len(g.unchecked) == 0 || in.Partial && len(g.checked) > 0
	for d := first; d.Before(end) && in.CheckType != "time_slot"; d = d.AddDate(0, 0, 1) {
		day := stretch{at(env, d), at(env, d.AddDate(0, 0, 1))}
		if len(merged(clone(busy), day)) == 0 && day.from.Before(day.to) && known {
			out.FreeDays = append(out.FreeDays, d.Format(time.DateOnly))
		}
	}
	available := len(busy) == 0
	if in.CheckType == "range" {
		available = len(out.FreeDays) > 0
	}
	if known {
		out.Available = &available
	}
	if known && !available && in.CheckType == "time_slot" {
		if err := out.nearest(ctx, env, around, policy, within); err != nil {
			return out, explain(env, err)
		}
	}
	out.Message = out.say(env, first, end, within)
	return out, nil
}

func clone(s []stretch) []stretch { return append([]stretch(nil), s...) }

// busyPolicy says which events take their time.
type busyPolicy struct {
	tentativeIsFree bool
	allDay          string // block, ignore, or what the event says
}

func (p busyPolicy) keep(all []store.Occurrence) []store.Occurrence {
	return slices.DeleteFunc(all, func(o store.Occurrence) bool {
		busy := o.Busy()
		if o.Form == store.AllDay {
			busy = p.allDay != "ignore" && (busy || p.allDay == "block" && !o.Declined && o.Status != store.Cancelled)
		}
		return !busy || !o.From.Before(o.To) || p.tentativeIsFree && o.Status == store.Tentative
	})
}

// freeDays are the events of whole days in a time that say that they block none,
// such as holidays: what to make of them is the caller's to judge.
func freeDays(all []store.Occurrence, within stretch) (free []store.Occurrence) {
	for _, o := range all {
		if o.Form == store.AllDay && o.Free && o.Status != store.Cancelled && o.From.Before(within.to) && within.from.Before(o.To) {
			free = append(free, o)
		}
	}
	return free
}

// nearestDays is how far a free time is looked for around one that is taken.
const nearestDays = 7

// nearest finds the free times of the same length that lie nearest.
func (o *CheckOut) nearest(ctx context.Context, env *tools.Env, q gathering, policy busyPolicy, slot stretch) error {
	around := stretch{slot.from.AddDate(0, 0, -nearestDays), slot.to.AddDate(0, 0, nearestDays)}
	if now := env.Now(); around.from.Before(now) {
		around.from = now.Truncate(time.Minute).Add(time.Minute)
	}
	q.From, q.To = around.from, around.to
	if !around.from.Before(around.to) {
		return nil
	}
	g, err := gather(ctx, env, q)
	if err != nil {
		return err
	}
	var busy []stretch
	for _, x := range policy.keep(g.Occurrences) {
		busy = append(busy, stretch{x.From, x.To})
	}
	length := slot.to.Sub(slot.from)
	for _, f := range gaps(merged(busy, around), around) {
		if f.to.Sub(f.from) < length {
			continue
		}
		if last := (stretch{f.to.Add(-length), f.to}); last.to.Before(slot.to) {
			o.NearestBefore, o.near = &stretches(env, []stretch{last})[0], []stretch{last}
		}
		if first := (stretch{f.from, f.from.Add(length)}); first.from.After(slot.from) && o.NearestAfter == nil {
			o.NearestAfter, o.near = &stretches(env, []stretch{first})[0], append(o.near, first)
		}
	}
	return nil
}

// window is the time that a check is about.
func (f *faults) window(in CheckIn) (first, end time.Time, within stretch) {
	if in.CheckType == "range" {
		for _, need := range []struct{ name, value string }{{"date_from", in.DateFrom}, {"date_to", in.DateTo}} {
			if need.value == "" {
				f.required(need.name)
			}
		}
		first, end = f.span("", in.DateFrom, in.DateTo)
		if end.Sub(first) > maxRange*24*time.Hour {
			f.add("date_to", tools.Say{EN: "must be within %d days of date_from", JA: "date_from から%d日以内にしてください"}, maxRange)
		}
		return first, end, stretch{at(f.env, first), at(f.env, end)}
	}
	if in.Date == "" {
		f.required("date")
	}
	first = f.day("date", in.Date, today(f.env))
	end = first.AddDate(0, 0, 1)
	if in.CheckType == "day" {
		return first, end, stretch{at(f.env, first), at(f.env, end)}
	}
	if in.TimeFrom == "" {
		f.required("time_from")
	}
	if in.TimeTo == "" {
		f.required("time_to")
	}
	from, to := f.clock("time_from", in.TimeFrom, 0), f.clock("time_to", in.TimeTo, 24*time.Hour)
	if from == to && in.TimeFrom != "" && in.TimeTo != "" && len(f.list) == 0 {
		f.add("time_to", tools.Say{EN: "must not be time_from", JA: "time_from と異なる時刻にしてください"})
	}
	if to < from {
		to += 24 * time.Hour
	}
	return first, end, stretch{at(f.env, first.Add(from)), at(f.env, first.Add(to))}
}

func stretches(env *tools.Env, all []stretch) []Stretch {
	out := []Stretch{}
	for _, s := range all {
		out = append(out, Stretch{env.Time(s.from), env.Time(s.to), s.minutes()})
	}
	return out
}

func (o *CheckOut) say(env *tools.Env, first, end time.Time, within stretch) string {
	what := between(first, end)
	if o.CheckType == "time_slot" {
		what = spanText(env, within.from, within.to)
	}
	switch {
	case o.Available == nil:
		return env.Say(tools.Say{EN: "%s: unknown, a calendar could not be read", JA: "%s: 読めないカレンダーがあるため判断できません。"}, what)
	case o.CheckType == "range":
		return env.Say(tools.Say{EN: "%s: %s free", JA: "%s: 空いている日は%sです。"}, what, plural(env, len(o.FreeDays), "day", "days", "日"))
	case *o.Available:
		return env.Say(tools.Say{EN: "%s is free", JA: "%sは空いています。"}, what)
	}
	return env.Say(tools.Say{EN: "%s is not free: %s", JA: "%sには予定があります: %s"}, what, plural(env, max(len(o.Conflicts), len(o.Busy)), "event", "events", "件"))
}
