package serve

import (
	"encoding/json"
	"io"
	"net/http"

	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/person"
)

// maxSecretBody is the maximum size of a request with a secret, in bytes.
const maxSecretBody = 16 << 10

// pageSecret answers POST /page/secret: the person enters their secret, once in a session of the
// page.
func pageSecret(srv *Server, w http.ResponseWriter, r *http.Request) {
	env := srv.envFor(r)
	var in struct {
		Secret string `json:"secret"`
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxSecretBody))
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil {
		srv.fail(w, env.Fail(tools.InvalidInput, "The body must be an object with the field secret"))
		return
	}
	set, err := person.HasSecret(env)
	if err == nil && !set {
		err = env.Fail(tools.NotFound, "No secret is set").WithHint(env.Hint("Set one: techo ask secret set"))
	}
	if err == nil {
		err = person.CheckSecret(env, in.Secret)
	}
	if err != nil {
		srv.fail(w, tools.AsError(env, err))
		return
	}
	if e := srv.page.Prove(env, r); e != nil {
		srv.fail(w, e)
		return
	}
	document, err := jsontree.Marshal(struct {
		Message string `json:"message"`
	}{env.Localize("The secret is right")})
	if err != nil {
		srv.fail(w, tools.AsError(env, err))
		return
	}
	write(w, http.StatusOK, document)
}
