package commands

import (
	"encoding/xml"
	"path/filepath"
	"strings"
)

// unit writes the file by which a system starts the server that was asked for.
// It holds no token: systemd reads that from a file that only its owner reads.
func (s *session) unit(in serveIn) string {
	words := s.serveWords(in)
	if *in.Unit == "launchd" {
		return launchdUnit(words, s.Getenv("HOME"))
	}
	return systemdUnit(words)
}

// serveWords is the command line that serves as this one asked for, from any
// folder.
func (s *session) serveWords(in serveIn) []string {
	listen := in.Listen
	if path, ok := strings.CutPrefix(listen, "unix:"); ok {
		listen = "unix:" + s.path(strings.TrimPrefix(path, "//"))
	}
	words := []string{s.Program(), "serve", "--listen", listen}
	for _, name := range in.Hosts {
		words = append(words, "--host", name)
	}
	for _, name := range in.Only {
		words = append(words, "--only", name)
	}
	if in.ReadOnly {
		words = append(words, "--read-only")
	}
	if in.Quiet {
		words = append(words, "--quiet")
	}
	return append(words, s.settingWords()...)
}

// settingWords are the global flags of this line, for another line that is to
// mean the same in any folder.
func (s *session) settingWords() (words []string) {
	for _, dir := range s.line.roots {
		words = append(words, "--root", s.path(dir))
	}
	for _, g := range settings {
		v, ok := s.line.settings[g.name]
		switch {
		case !ok || g.name == "output" || g.name == "fields" || g.name == "idempotency-key":
			continue // of this call alone
		case g.value == "":
			words = append(words, "--"+g.name+"="+v)
			continue
		}
		if g.name == "store" && !strings.Contains(v, "://") {
			v = s.path(v)
		}
		words = append(words, "--"+g.name, v)
	}
	return words
}

func systemdUnit(words []string) string {
	var quoted []string
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`)
	for _, w := range words {
		quoted = append(quoted, `"`+escape.Replace(w)+`"`)
	}
	return `# techo as a service of yours: write this to ~/.config/systemd/user/techo.service, then
#   systemctl --user daemon-reload && systemctl --user enable --now techo
# A token goes into ~/.config/techo/environment (mode 0600), as TECHO_TOKEN=…
[Unit]
Description=techo, the notebook of an agent

[Service]
ExecStart=` + strings.Join(quoted, " ") + `
EnvironmentFile=-%h/.config/techo/environment
WorkingDirectory=%h
UMask=0077
Restart=on-failure
TimeoutStopSec=20
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`
}

func launchdUnit(words []string, home string) string {
	var b strings.Builder
	text := func(s string) {
		b.WriteString("<string>")
		_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
		b.WriteString("</string>\n")
	}
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- techo as an agent of yours: write this to ~/Library/LaunchAgents/techo.plist, then
     launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/techo.plist -->
<plist version="1.0">
<dict>
	<key>Label</key><string>techo</string>
	<key>RunAtLoad</key><true/>
	<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
	<key>Umask</key><integer>63</integer>
	<key>StandardErrorPath</key>`)
	text(filepath.Join(home, "Library", "Logs", "techo.log"))
	b.WriteString("	<key>ProgramArguments</key>\n	<array>\n")
	for _, w := range words {
		b.WriteString("		")
		text(w)
	}
	b.WriteString("	</array>\n</dict>\n</plist>\n")
	return b.String()
}
