package commands

import (
	"context"
	"runtime"

	"techo/tools"
)

// noIn is the input of a command that takes nothing.
type noIn struct{}

// versionOut is the result of the command version.
type versionOut struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Message  string `json:"message"`
}

func versionCommand() *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command:  "version",
		About:    tools.Say{EN: "Print the version", JA: "バージョンを表示する"},
		Examples: []tools.Example{{Does: tools.Say{EN: "Print the version", JA: "バージョンを表示する"}, Line: "version"}},
	}, func(_ context.Context, env *tools.Env, _ noIn) (versionOut, error) {
		return versionOut{version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, program + " " + version}, nil
	})}
}
