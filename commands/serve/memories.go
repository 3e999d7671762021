package serve

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"techo/store/ledger"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

// investigate is the name of the tool that reads memories in full.
const investigate = "investigate_memory"

// fullMemoryFields returns the fields of a memory that the service answers with.
func fullMemoryFields() []string {
	return []string{"memories.id", "memories.caption", "memories.created_at", "memories.full_text", "memories.space",
		"missing"}
}

// fullMemories answers GET /memories/full?user_id=U&ids=a,b, the memory service
// for agents on other machines. The conditions of investigate_memory do not
// apply, and turns are not counted: the client of the service does both.
func (srv *Server) fullMemories(w http.ResponseWriter, r *http.Request) {
	s, problems := srv.runFor(r)
	env := s.Env()
	t, e := s.Tool(investigate)
	if e != nil {
		srv.fail(w, env.Fail(tools.Unavailable, "This server has no memories"))
		return
	}
	env.Caller.MaxPerTurn = 0
	query, malformed := parseQuery(env, r)
	problems = append(problems, malformed...)
	user, ids, wrong := memoryQuery(env, query)
	if problems = append(problems, wrong...); len(problems) > 0 {
		e := env.Fail(tools.InvalidInput, "GET /memories/full?user_id=U&ids=a,b: a parameter is missing or invalid")
		e.Details = problems
		srv.fail(w, e)
		return
	}
	env.User = ledger.NormalUser(user)
	var list [][]byte
	for _, id := range ids {
		list = append(list, jsontree.AppendText(nil, id))
	}
	input := jsontree.AppendObject(nil, []jsontree.Field{{Name: "memory_ids", Value: jsontree.AppendList(nil, list)}})
	result, e := srv.host.Call(r.Context(), env, t, tools.Call{
		Input: input, Fields: fullMemoryFields(), Timeout: s.Options.Timeout,
		SkipWhen: offers(srv, t),
	})
	srv.answer(w, result, e)
}

// memoryQuery returns the parameters of the memory service. A repeated user_id
// is a problem, because either value could be meant.
func memoryQuery(env *tools.Env, query url.Values) (user string, ids []string, problems []tools.Detail) {
	wrong := func(name string, why tools.Text) {
		problems = append(problems, tools.Detail{Path: "/" + name, Message: env.Localize(why)})
	}
	required := tools.Text("is required")
	switch users := query["user_id"]; {
	case len(users) > 1:
		wrong("user_id", "is given twice")
	case len(users) == 0 || users[0] == "":
		wrong("user_id", required)
	case !ledger.UserName(users[0]):
		wrong("user_id", "must be 1 to 256 bytes of UTF-8, with a visible character and no control characters")
	default:
		user = users[0]
	}
	known := []string{"user_id", "ids"}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			problems = append(problems, schema.UnknownField(env, "/"+name, name, known))
		}
	}
	named := strings.Join(query["ids"], ",")
	if named == "" {
		wrong("ids", required)
	}
	return user, strings.FieldsFunc(named, func(r rune) bool { return r == ',' || r == ' ' }), problems
}
