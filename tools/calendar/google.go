package calendar

import (
	"techo/store"
	"techo/tools"
)

func googleBackend(env *tools.Env, _ store.Calendar) (backend, error) {
	return nil, env.Fail(tools.Unavailable, tools.Say{EN: "Google Calendar is not built yet", JA: "Google カレンダーは未対応です"})
}
