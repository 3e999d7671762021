package commands

import (
	"strings"
	"techo/commands/offer"
	"techo/commands/run"
	"techo/commands/serve"
)

// unit writes the file by which a system starts the server that was asked for.
// It holds no token: systemd reads that from a file that only its owner reads.
func unit(s *run.Run, in serveIn) string {
	words := serveWords(s, in)
	if *in.Unit == "launchd" {
		return serve.LaunchdUnit(words, s.System.Getenv("HOME"))
	}
	return serve.SystemdUnit(words)
}

// serveWords is the command line that serves as this one asked for, from any
// folder.
func serveWords(s *run.Run, in serveIn) []string {
	words := []string{s.System.Program(), "serve"}
	if in.Listen != nil { // else each start finds this user's socket
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
	for _, name := range in.Only {
		words = append(words, "--only", name)
	}
	if in.ReadOnly {
		words = append(words, "--read-only")
	}
	words = append(words, offer.AudienceWords(in.Audience)...)
	if in.Quiet {
		words = append(words, "--quiet")
	}
	return append(words, s.SettingWords()...)
}
