package serve

import (
	"encoding/xml"
	"path/filepath"
	"strings"
)

// SystemdUnit returns a systemd user unit that runs a command line. It contains no
// token: systemd reads that from a file that only the user can read.
func SystemdUnit(words []string) string {
	// systemd expands variables in the arguments, but not in the program's path.
	path := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`)
	argument := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`)
	quoted := []string{`"` + path.Replace(words[0]) + `"`}
	for _, w := range words[1:] {
		quoted = append(quoted, `"`+argument.Replace(w)+`"`)
	}
	return `# Save this as ~/.config/systemd/user/techo.service, then run
#   systemctl --user daemon-reload && systemctl --user enable --now techo
# To choose the token, write ~/.config/techo/environment (mode 0600) with the line TECHO_TOKEN=…
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

// LaunchdUnit returns a launchd agent that runs a command line.
func LaunchdUnit(words []string, home string) string {
	var b strings.Builder
	text := func(s string) {
		b.WriteString("<string>")
		_ = xml.EscapeText(&b, []byte(s)) // a Builder accepts all bytes
		b.WriteString("</string>\n")
	}
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Save this as ~/Library/LaunchAgents/techo.plist, then run
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
