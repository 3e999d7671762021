package calendar

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// Create makes an event.
var Create = tools.Define(tools.Tool{
	Name:    "create_event",
	Command: "cal create",
	About:   tools.Say{EN: "Make an event", JA: "予定を作成する"},
	More: tools.Say{
		EN: "A start with a time makes an event of one hour unless an end is given; a start that is a day alone makes one of whole days, the last included. The answer tells which events are at the same time (conflicts) and which look the same (duplicates); if_free refuses instead.",
		JA: "start に時刻があれば1時間の予定（end で変更）、日付だけなら終日の予定（end はその日を含む）。同じ時間の予定は conflicts、同じ予定は duplicates で返す。if_free を指定すると、重なる場合は作成しない。",
	},
	Effect:  tools.Adds,
	World:   true,
	Words:   []string{"title", "start"},
	Refused: tools.Say{EN: "Could not create the event: %s", JA: "予定の作成に失敗しました: %s"},
	Elsewhere: func(ctx context.Context, env *tools.Env, input []byte) bool {
		var in CreateIn
		if json.Unmarshal(input, &in) != nil {
			return false
		}
		b, err := backendOf(ctx, env, in.Calendar, tools.Adds)
		_, here := b.(local)
		return err == nil && !here
	},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Make an event of an hour", JA: "1時間の予定を作る"}, Line: `cal create --title "Review" --start "2026-01-08 14:00" --location "Room A"`},
		{Does: tools.Say{EN: "Every Monday, if the time is free", JA: "空いていれば毎週月曜に作る"}, Line: `cal create --title "Standup" --start "next mon 09:30" --end 09:45 --recurrence FREQ=WEEKLY --if-free`},
		{Does: tools.Say{EN: "Two whole days", JA: "終日の予定（2日間）"}, Line: `cal create --title "Trip" --start 2026-02-10 --end 2026-02-11`},
	},
}, createEvent)

// CreateIn is the input of create_event.
type CreateIn struct {
	Title       string   `json:"title" min:"1" en:"The title" ja:"タイトル"`
	Start       string   `json:"start" min:"1" en:"When it starts: 2026-01-05T10:00, tomorrow 10:00, or a day for an event of whole days" ja:"開始日時（例: 2026-01-05T10:00、明日 10:00）。日付だけなら終日"`
	End         string   `json:"end,omitempty" en:"When it ends, likewise, or a length such as 90m; of whole days the last one, included (default: an hour later, or the same day)" ja:"終了日時、または 90m のような長さ。終日の場合は最終日（省略時は1時間後、または同日）"`
	Location    string   `json:"location,omitempty" en:"The place" ja:"場所"`
	Description string   `json:"description,omitempty" en:"What it is about" ja:"説明"`
	Recurrence  []string `json:"recurrence,omitempty" lone:"true" en:"When it comes again: lines of RFC 5545, e.g. FREQ=WEEKLY;BYDAY=MO;COUNT=10" ja:"繰り返し（RFC 5545 の RRULE。例: FREQ=WEEKLY;BYDAY=MO;COUNT=10）"`
	Busy        bool     `json:"busy" default:"true" en:"It takes its time; false leaves it free" ja:"時間を埋めるか（false なら空きのまま）"`
	Status      string   `json:"status" default:"confirmed" enum:"confirmed,tentative,cancelled" en:"Whether it is settled" ja:"状態"`
	IfFree      bool     `json:"if_free,omitempty" en:"Refuse when the time is taken" ja:"時間が埋まっていれば作成しない"`
	DryRun      bool     `json:"dry_run,omitempty" en:"Only tell what would be" ja:"作成せずに結果だけを返す"`
	Calendar    string   `json:"calendar,omitempty" en:"The calendar's name; a new one is made (default: default)" ja:"カレンダー名。無ければ作る（省略時は default）"`
}

// WrittenOut is the result of create_event and update_event.
type WrittenOut struct {
	Event      Event   `json:"event"`
	Conflicts  []Event `json:"conflicts"`
	Duplicates []Event `json:"duplicates"`
	DryRun     bool    `json:"dry_run,omitempty"`
	Message    string  `json:"message"`

	written store.Written
}

func createEvent(ctx context.Context, env *tools.Env, in CreateIn) (out WrittenOut, err error) {
	e, err := draft(env, in)
	if err != nil {
		return out, err
	}
	b, err := backendOf(ctx, env, e.Calendar, tools.Adds)
	if err != nil {
		return out, err
	}
	w, err := b.add(ctx, e, store.EventWrite{Zone: env.Zone, IfFree: in.IfFree, DryRun: in.DryRun})
	if err != nil {
		return out, explain(env, err)
	}
	done := tools.Say{EN: "Created: %s, %s", JA: "予定を作成しました: %s（%s）"}
	if in.DryRun {
		done = tools.Say{EN: "Would create: %s, %s", JA: "作成される予定: %s（%s）"}
	}
	return written(env, w, in.DryRun, done), nil
}

// written is the answer to a write.
func written(env *tools.Env, w store.Written, dry bool, done tools.Say) WrittenOut {
	message := env.Say(done, titleOf(env, w.Title), when(env, &w.Occurrence))
	if n := len(w.Conflicts); n > 0 {
		message += env.Say(tools.Say{EN: "; at the same time: %s", JA: "。同じ時間の予定: %s"}, titles(env, w.Conflicts))
	}
	return WrittenOut{Event: eventOf(env, &w.Occurrence), Conflicts: eventsOf(env, w.Conflicts), Duplicates: eventsOf(env, w.Duplicates), DryRun: dry, Message: message, written: w}
}

// draft makes an event of an input.
func draft(env *tools.Env, in CreateIn) (store.Event, error) {
	f := &faults{env: env}
	e := store.Event{Title: in.Title, Location: in.Location, Description: in.Description, Status: in.Status, Free: !in.Busy, Calendar: f.calendar(in.Calendar)}
	start, ok := f.moment("start", in.Start, today(env))
	if ok {
		f.times(&e, start, in.End, time.Hour)
	}
	e.Recurrence = f.recurrence(in.Recurrence)
	return e, f.err()
}

func (f *faults) calendar(name string) string {
	if name == "" {
		return store.DefaultCalendar
	}
	tidy := store.CalendarName(name)
	if tidy == "" {
		f.add("calendar", tools.Say{EN: "must be a name of at most %d bytes, and not %q", JA: "%d バイト以内の名前にしてください（「%s」は不可）"}, store.MaxCalendarName, clip(name))
	}
	return tidy
}

// recurrence reads the lines of a recurrence.
func (f *faults) recurrence(lines []string) (kept []string) {
	for l := range strings.SplitSeq(strings.Join(lines, "\n"), "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		line, err := store.CheckRecurrence(strings.TrimSpace(l))
		if err != nil {
			f.add("recurrence", tools.Say{EN: "%q is not understood: %v", JA: "「%s」は解釈できません: %v"}, clip(l), err)
			continue
		}
		kept = append(kept, line)
	}
	return kept
}

// times sets when an event is: from start up to end, or for a length when no
// end is given.
func (f *faults) times(e *store.Event, start dates.Moment, end string, length time.Duration) {
	e.Start, e.Days, e.Length, e.ZoneRules = start.Wall, 0, 0, ""
	if !start.Timed {
		e.Form, e.Zone, e.Days = store.AllDay, "", 1
		f.lastDay(e, end)
		return
	}
	from := instantOf(f.env, start)
	e.Form, e.Zone, e.Start = store.Timed, zoneName(f.env), zone.Wall(from, f.env.Zone)
	if !start.Offset { // a wall clock that is passed over stays what was asked for in a series
		e.Start = start.Wall
	}
	if end == "" {
		e.Length = length
		return
	}
	if d, err := time.ParseDuration(strings.TrimPrefix(strings.TrimSpace(end), "+")); err == nil && d >= 0 {
		e.Length = d
		return
	}
	to, ok := f.moment("end", end, start.Wall)
	switch {
	case !ok:
	case !to.Timed:
		f.add("end", tools.Say{EN: "must have a time, as start has", JA: "start と同じく時刻が必要です"})
	default:
		if e.Length = instantOf(f.env, to).Sub(from); e.Length < 0 {
			f.add("end", tools.Say{EN: "must not be before start", JA: "start より後にしてください"})
		}
	}
}

func (f *faults) lastDay(e *store.Event, end string) {
	if end == "" {
		return
	}
	to, ok := f.moment("end", end, e.Start)
	switch {
	case !ok:
	case to.Timed:
		f.add("end", tools.Say{EN: "must be a day, as start is; or give start a time", JA: "start と同じく日付にしてください（または start に時刻を付けてください）"})
	case to.Wall.Before(e.Start):
		f.add("end", tools.Say{EN: "must not be before start", JA: "start 以降にしてください"})
	default:
		e.Days = int(to.Wall.Sub(e.Start)/(24*time.Hour)) + 1
	}
}

// Text writes the message, and the conflicts a line each.
func (o WrittenOut) Text(env *tools.Env) string {
	lines := []string{env.Say(tools.Say{EN: "%s (id: %s)", JA: "%s（ID: %s）"}, strings.SplitN(o.Message, env.Say(tools.Say{EN: "; at", JA: "。同じ"}), 2)[0], o.Event.EventID)}
	for i := range o.written.Conflicts {
		lines = append(lines, env.Say(tools.Say{EN: "- conflict: %s", JA: "- 重複: %s"}, line(env, &o.written.Conflicts[i])))
	}
	return strings.Join(lines, "\n")
}
