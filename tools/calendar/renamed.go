package calendar

import (
	"errors"
	"slices"

	"techo/store"
)

// maxRenames limits the renamings that a call can meet.
const maxRenames = 20

// despiteRenaming runs fn, which finds the calendars that the caller asked for and reads
// or changes them in transactions of their own. It runs fn again if a calendar that the
// caller did not name was renamed or removed in between, or if another one, at a service,
// was chosen as the default.
func despiteRenaming[T any](asked []string, fn func() (T, error)) (T, error) {
	for n := 0; ; n++ {
		result, err := fn()
		missing := new(store.NotFoundError)
		gone := errors.As(err, &missing) && missing.Kind == store.KindCalendar && !slices.Contains(asked, missing.Name)
		if !gone && !errors.As(err, new(*store.RemoteCalendarError)) || n == maxRenames {
			return result, err
		}
	}
}
