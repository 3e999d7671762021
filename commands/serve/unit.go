package serve

import (
	"encoding/xml"
	"path/filepath"
	"strings"
)

func SystemdUnit(words []string) string {
	// systemd replaces variables in arguments, and not in the program's path.
	path := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`)
	argument := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`)
	quoted := []string{`"` + path.Replace(words[0]) + `"`}
	for _, w := range words[1:] {
		quoted = append(quoted, `"`+argument.Replace(w)+`"`)
	}
	return `# techo as a service of yours: write this to ~/.config/systemd/user/techo.service, then
#   systemctl --user daemon-reload && systemctl --user enable --now techo
# A token of your choice goes into ~/.config/techo/environment (mode 0600), as TECHO_TOKEN=…
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

func LaunchdUnit(words []string, home string) string {
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
