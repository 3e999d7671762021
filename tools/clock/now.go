// Package clock is the family of tools for the present time.
package clock

import (
	"context"
	"time"

	"techo/tools"
	"techo/tools/when"
)

// Tools returns the family.
func Tools() []*tools.Tool { return []*tools.Tool{Now} }

// Now is the tool current_time.
var Now = &tools.Tool{
	Name:    "current_time",
	For:     tools.Agents,
	Command: "now",
	About:   "Tell the current time, its zone and the weekday",
	More:    "Use it before you work with dates.",
	Details: "The year of your training has passed.",
	Effect:  tools.Reads,
	Examples: []tools.Example{
		{Does: "What day is it in Tokyo", Line: `now --tz Asia/Tokyo -o text`},
	},
	Preapproved: true,
	Run:         tools.Func[NowIn, NowOut](now),
}

// NowIn is the input of current_time.
type NowIn struct{}

// NowOut is the result of current_time.
type NowOut struct {
	Now     string `json:"now"`
	Zone    string `json:"zone"`
	Weekday string `json:"weekday"` // in English
	Date    string `json:"date"`
	Message string `json:"message"`
}

func now(_ context.Context, env *tools.Env, _ NowIn) (NowOut, error) {
	t := env.Now().In(env.Zone)
	return NowOut{t.Format(time.RFC3339), when.ZoneName(env), t.Weekday().String(), t.Format(time.DateOnly),
		when.Now(env)}, nil
}
