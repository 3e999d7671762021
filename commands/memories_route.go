package commands

import (
	"context"
	"net/http"
	"strings"

	"techo/tools"
)

// fullMemories returns what GET /memories/full answers: the whole memories of
// a user, and the ids that the user has none of.
type fullMemories func(ctx context.Context, env *tools.Env, ids []string) (document []byte, err error)

// fullMemories is GET /memories/full?user_id=U&ids=a,b, the memory service
// that an agent elsewhere reads from.
func (f *httpFace) fullMemories(w http.ResponseWriter, r *http.Request) {
	s, faults := f.asks(r.Header)
	env := s.env()
	if f.memories == nil {
		fail(w, env.Fail(tools.Unavailable, tools.Say{EN: "This techo keeps no memories", JA: "この techo は記憶を扱えません"}))
		return
	}
	query := r.URL.Query()
	required := func(name string) string {
		v := query.Get(name)
		if v == "" {
			faults = append(faults, tools.Detail{Path: "/" + name, Message: env.Say(tools.Say{EN: "is required", JA: "必須です"})})
		}
		return v
	}
	env.User = required("user_id")
	ids := strings.FieldsFunc(required("ids"), func(r rune) bool { return r == ',' || r == ' ' })
	if len(faults) > 0 {
		e := env.Fail(tools.InvalidInput, tools.Say{EN: "GET /memories/full?user_id=U&ids=a,b: something is missing or wrong", JA: "GET /memories/full?user_id=U&ids=a,b: 指定が足りないか、誤っています"})
		e.Details = faults
		fail(w, e)
		return
	}
	document, err := f.memories(r.Context(), env, ids)
	if err != nil {
		fail(w, (&tools.Tool{}).Fault(env, err))
		return
	}
	write(w, http.StatusOK, document)
}
