package agenda

import (
	"errors"
	"slices"
	"strings"

	"techo/store/event"
	"techo/store/ledger"
)

// maxRenames limits the renamings that a call can meet.
const maxRenames = 20

// DespiteRenaming runs fn, which finds the calendars that the caller asked for and reads
// or changes them in transactions of their own. It runs fn again if a calendar that the
// caller did not name was renamed or removed in between, or if another one, at a service,
// was chosen as the default.
func DespiteRenaming[T any](asked []string, fn func() (T, error)) (T, error) {
	for n := 0; ; n++ {
		result, err := fn()
		missing := new(ledger.NotFoundError)
		named := func(name string) bool { return name == missing.Name || strings.HasSuffix(name, "/"+missing.Name) }
		gone := errors.As(err, &missing) && missing.Kind == ledger.KindCalendar && !slices.ContainsFunc(asked, named)
		if !gone && !errors.As(err, new(*event.RemoteCalendarError)) || n == maxRenames {
			return result, err
		}
	}
}
