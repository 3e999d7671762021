package calendar

import (
	"context"
	"strings"
	"time"

	"techo/store"
	"techo/tools"
)

// HoldIn is the input of cal hold.
type HoldIn struct {
	Title    string   `json:"title" min:"1" en:"The title" ja:"タイトル"`
	Slots    []string `json:"slots" least:"1" min:"1" en:"A time: START/END or START/LENGTH, e.g. 2026-01-14T10:00/60m" ja:"候補の時間。開始/終了 または 開始/長さ（例: 2026-01-14T10:00/60m）"`
	Expires  string   `json:"expires" default:"48h" en:"For how long, or until when" ja:"期限（長さまたは日時）"`
	Location string   `json:"location,omitempty" en:"The place" ja:"場所"`
	IfFree   bool     `json:"if_free,omitempty" en:"Refuse when one of the times is taken" ja:"埋まっている候補があれば押さえない"`
	Calendar string   `json:"calendar,omitempty" en:"The calendar's name (default: default)" ja:"カレンダー名（省略時は default）"`
}

// HoldOut is the result of cal hold and cal confirm.
type HoldOut struct {
	Group     string  `json:"group"`
	Events    []Event `json:"events"`
	Released  []Event `json:"released"`
	Conflicts []Event `json:"conflicts"`
	Message   string  `json:"message"`
	held      []store.Occurrence
}

// Text writes the events, a line each.
func (o HoldOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for i := range o.held {
		lines = append(lines, "- "+line(env, &o.held[i])+" (id: "+o.held[i].ID()+")")
	}
	return strings.Join(lines, "\n")
}

// Hold keeps several times for one thing, in one transaction: all or none.
func Hold(ctx context.Context, env *tools.Env, in HoldIn) (out HoldOut, err error) {
	f := &faults{env: env}
	expires := f.expiry(in.Expires)
	var drafts []store.Event
	for _, slot := range in.Slots {
		start, end, _ := strings.Cut(slot, "/")
		e := store.Event{Title: in.Title, Location: in.Location, Status: store.Tentative, Calendar: f.calendar(in.Calendar), Expires: expires}
		if m, ok := f.moment("slots", start, today(env)); ok {
			known := len(f.list)
			f.times(&e, m, end, time.Hour)
			for i := known; i < len(f.list); i++ {
				f.list[i].Path = "/slots"
			}
		}
		drafts = append(drafts, e)
	}
	if err := f.err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	if c, err := st.FindCalendar(ctx, drafts[0].Calendar); err == nil && c.Kind != store.LocalCalendar {
		return out, env.Fail(tools.InvalidInput, tools.Say{EN: "Holds are for local calendars", JA: "仮押さえはローカルのカレンダーでのみ使えます"})
	}
	group, held, err := st.HoldEvents(ctx, drafts, store.EventWrite{Zone: env.Zone, IfFree: in.IfFree})
	if err != nil {
		return out, explain(env, err)
	}
	out = HoldOut{Group: group, Events: []Event{}, Released: []Event{}, Conflicts: []Event{}}
	for i := range held {
		out.held = append(out.held, held[i].Occurrence)
		out.Conflicts = append(out.Conflicts, eventsOf(env, held[i].Conflicts)...)
	}
	out.Events = eventsOf(env, out.held)
	out.Message = env.Say(tools.Say{EN: "Held %s until %s", JA: "%sの候補を %s まで仮押さえしました"}, plural(env, len(held), "time", "times", "件"), env.Time(expires))
	return out, nil
}

// expiry reads how long from now, or until when.
func (f *faults) expiry(text string) time.Time {
	at := f.env.Now()
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return at.Add(d)
	}
	m, ok := f.moment("expires", text, today(f.env))
	if !ok {
		return at
	}
	until := instantOf(f.env, m)
	if !until.After(at) {
		f.add("expires", tools.Say{EN: "must be in the future", JA: "未来の日時にしてください"})
	}
	return until
}

// ConfirmIn is the input of cal confirm.
type ConfirmIn struct {
	EventID string `json:"event_id" min:"1" en:"The one to keep" ja:"確定する予定のID"`
}

// Confirm keeps one of the times that were held and releases the others.
func Confirm(ctx context.Context, env *tools.Env, in ConfirmIn) (out HoldOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	kept, released, err := st.ConfirmEvent(ctx, in.EventID, env.Zone)
	if err != nil {
		return out, explain(env, err)
	}
	out = HoldOut{Group: kept.Group, Events: []Event{eventOf(env, &kept)}, held: []store.Occurrence{kept}, Released: eventsOf(env, released), Conflicts: []Event{}}
	out.Message = env.Say(tools.Say{EN: "Confirmed: %s, %s; released: %d", JA: "確定しました: %s（%s）。解放した候補: %d件"}, titleOf(env, kept.Title), when(env, &kept), len(released))
	return out, nil
}
