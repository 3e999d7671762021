package commands

import (
	"strings"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/commands/serve"
)

// unit returns the file for systemd or launchd that starts the server with the
// given flags.
func unit(s *run.Run, in serveIn) string {
	words := serveWords(s, in)
	if *in.Unit == "launchd" {
		return serve.LaunchdUnit(words, s.System.Getenv("HOME"))
	}
	return serve.SystemdUnit(words)
}

// serveWords returns a command line that starts the server with the given flags
// from any folder.
func serveWords(s *run.Run, in serveIn) []string {
	words := []string{s.System.Program(), "serve"}
	if in.Listen != nil { // without it each start chooses the default socket
		listen := *in.Listen
		if path, ok := strings.CutPrefix(listen, "unix:"); ok {
			listen = "unix:" + s.System.Path(strings.TrimPrefix(path, "//"))
		}
		words = append(words, "--listen", listen)
	}
	if in.NoToken {
		words = append(words, "--no-token")
	}
	for _, name := range in.Hosts {
		words = append(words, "--host", name)
	}
	if in.Page {
		words = append(words, "--page")
	}
	words = append(append(words, in.Choice.Flags()...), in.Listing.Flags(catalogue.Full)...)
	if in.Quiet {
		words = append(words, "--quiet")
	}
	return append(words, s.SettingWords()...)
}
