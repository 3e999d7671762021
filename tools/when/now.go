package when

import (
	"techo/internal/zone"
	"techo/tools"
)

// Now says which day and time it is for the caller, with the zone, as a sentence without a full stop.
func Now(env *tools.Env) string {
	t := env.Now().In(env.Zone)
	return env.Localize("Now it is %s, %s (%s)", Weekday(env, t), t.Format("2006-01-02 15:04"), ZoneName(env))
}

// ZoneName returns the name of the caller's zone. If the system does not provide a name, it returns the current
// offset.
func ZoneName(env *tools.Env) string {
	if name := env.Zone.String(); name != "Local" && name != "" {
		return name
	}
	_, offset := env.Now().In(env.Zone).Zone()
	return zone.Fixed(offset).String()
}
