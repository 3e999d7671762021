package commands

import (
	"net/http"
	"slices"
	"strings"

	"techo/store"
	"techo/tools"
)

// investigateName is the tool that reads memories in full.
const investigateName = "investigate_memory"

// fullMemoryFields are what the memory service tells of them.
func fullMemoryFields() []string {
	return []string{"memories.id", "memories.caption", "memories.created_at", "memories.full_text", "missing"}
}

// fullMemories is GET /memories/full?user_id=U&ids=a,b, the memory service
// that an agent elsewhere reads from. Its conditions are the caller's business:
// whoever may ask here may read.
func (f *httpFace) fullMemories(w http.ResponseWriter, r *http.Request) {
	s, faults := f.asks(r.Header)
	env := s.env()
	t, e := s.tool(investigateName)
	if e != nil {
		fail(w, env.Fail(tools.Unavailable, tools.Say{EN: "This techo keeps no memories", JA: "この techo は記憶を扱えません"}))
		return
	}
	query := r.URL.Query()
	required := func(name string) string {
		v := strings.Join(query[name], ",")
		if v == "" {
			faults = append(faults, tools.Detail{Path: "/" + name, Message: env.Say(tools.Say{EN: "is required", JA: "必須です"})})
		}
		return v
	}
	env.User = required("user_id")
	if !store.UserName(env.User) {
		faults = append(faults, tools.Detail{Path: "/user_id", Message: env.Say(tools.Say{EN: "must be UTF-8 of at most 256 bytes", JA: "256バイト以内の UTF-8 にしてください"})})
	}
	ids := strings.FieldsFunc(required("ids"), func(r rune) bool { return r == ',' || r == ' ' })
	if len(faults) > 0 {
		e := env.Fail(tools.InvalidInput, tools.Say{EN: "GET /memories/full?user_id=U&ids=a,b: something is missing or wrong", JA: "GET /memories/full?user_id=U&ids=a,b: 指定が足りないか、誤っています"})
		e.Details = faults
		fail(w, e)
		return
	}
	var list [][]byte
	for _, id := range ids {
		list = append(list, tools.AppendValue(nil, tools.String, id))
	}
	input := tools.AppendObject(nil, []tools.Field{{Name: "memory_ids", Value: tools.AppendList(nil, list)}})
	result, e := f.call(r.Context(), env, t, tools.Call{
		Input: input, Fields: fullMemoryFields(), Timeout: s.timeout,
		Typed: slices.Contains(f.all, t), // what --only left out stays so
	})
	if e != nil {
		fail(w, e)
		return
	}
	write(w, http.StatusOK, result.JSON)
}
