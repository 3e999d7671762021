package caldav

import (
	"context"
	"errors"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/ics"
)

// objectKind has what an import needs of events or to-dos. Those with one UID are one
// object at the server.
type objectKind[T any] struct {
	name func(*T) (uid, title string)
	same func(uid string, new []T) (bool, error) // whether the server has the same
	put  func(uid string, new []T, objects objects) error
}

// importObjects writes events or to-dos to the server, object by object. An object that
// the server refuses becomes a problem; another error ends the import.
func importObjects[T any](ctx context.Context, d Calendar, all []T, kind objectKind[T]) (n event.Imported,
	problems []ics.Problem, err error) {
	if err := d.refreshed(ctx); err != nil {
		return n, nil, err
	}
	objects, err := d.objects(ctx)
	if err != nil {
		return n, nil, err
	}
	byUID := map[string][]T{}
	var order []string
	for i := range all {
		uid, _ := kind.name(&all[i])
		if byUID[uid] == nil {
			order = append(order, uid)
		}
		byUID[uid] = append(byUID[uid], all[i])
	}
	for _, uid := range order {
		new := byUID[uid]
		_, exists := objects[uid]
		if exists {
			same, err := kind.same(uid, new)
			if err != nil {
				return n, problems, err
			}
			if same {
				n.Unchanged += len(new)
				continue
			}
		}
		err := kind.put(uid, new, objects)
		switch {
		case refusesObject(err):
			_, title := kind.name(&new[0])
			problems = append(problems, ics.Problem{Title: title, Message: d.Env.Cause(err)})
		case err != nil:
			return n, problems, err
		case exists:
			n.Changed += len(new)
		default:
			n.Added += len(new)
		}
	}
	return n, problems, d.refreshed(ctx)
}

// refusesObject reports whether an error concerns one object, so that others may be
// accepted.
func refusesObject(err error) bool {
	refused := new(tools.Error)
	return errors.As(err, &refused) && (refused.Code == tools.Upstream && !refused.Retryable ||
		refused.Code == tools.Conflict || refused.Code == tools.Forbidden)
}
