package stores

import (
	"context"
	"strings"

	"techo/commands/run"
	"techo/commands/system"
	"techo/store"
	"techo/tools"
)

// examineServer checks the connection to a server, the token and the version, and whether
// the server can read its store. err is the error of looking for the server.
func examineServer(ctx context.Context, s *run.Run, env *tools.Env, address string, err error) (
	out doctorOut, _ error) {
	if err != nil {
		return out, err
	}
	server, e := s.Server(address)
	if e != nil {
		return out, e
	}
	who, e := server.Whoami(ctx, env)
	if e == nil {
		e = server.Ready(ctx, env)
	}
	if e != nil {
		return out, e
	}
	out = doctorOut{OK: true, Complete: true, Findings: []tools.Detail{}, doctorChanges: changesOf(store.Diagnosis{}),
		Kept: map[string]int{}}
	note := func(path string, message tools.Text, args ...any) {
		out.Findings = append(out.Findings, tools.Detail{Path: path, Message: env.Localize(message, args...)})
	}
	if who.Version != system.Version {
		note("version", "the server has version %s, this program %s", who.Version, system.Version)
	}
	if who.ReadOnly {
		note("token", "allows only what changes nothing")
	}
	if len(who.Only) > 0 {
		note("token", "allows only %s", strings.Join(who.Only, ", "))
	}
	if len(who.Spaces) > 0 {
		note("token", "allows only the spaces %s", strings.Join(who.Spaces, ", "))
	}
	out.Message = env.Localize("The server %s (version %s) can read its store; calls are those of %s", address,
		who.Version, who.User)
	return out, nil
}
