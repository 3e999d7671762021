package commands

import (
	"context"
	"runtime"

	"techo/commands/line"
	"techo/commands/system"
	"techo/internal/buildstamp"
	"techo/tools"
)

type versionOut struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`
	Message  string `json:"message"`
}

func versionCommand() *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command:  "version",
		About:    "Print the version",
		Examples: []tools.Example{{Does: "Print the version", Line: "version"}},
	}, func(_ context.Context, env *tools.Env, _ struct{}) (versionOut, error) {
		stamp := buildstamp.Read()
		return versionOut{
			Version: system.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
			Commit: stamp.Commit, Date: stamp.Date, Message: system.VersionLine(stamp),
		}, nil
	})}
}
