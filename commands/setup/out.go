package setup

import (
	"strings"

	"techo/tools"
)

// Out is the result of setup.
type Out struct {
	Client  string    `json:"client,omitempty"`
	Files   []File    `json:"files"`
	Status  Status    `json:"status,omitempty"`  // of a check: the worst
	Clients []Checked `json:"clients,omitempty"` // of a check
	Notes   []string  `json:"notes"`
	DryRun  bool      `json:"dry_run"`
	Message string    `json:"message"`
}

// File is a file that setup changes or checks.
type File struct {
	Path   string `json:"path"`
	Action string `json:"action"`           // created, changed, removed, unchanged; checked
	Part   part   `json:"part,omitempty"`   // of a check: server, skill or hooks
	Status Status `json:"status,omitempty"` // of a check
	Backup string `json:"backup,omitempty"` // a copy of the file as it was
	Diff   string `json:"diff,omitempty"`   // of a dry run
}

// Actions of a file.
const (
	created   = "created"
	changed   = "changed"
	removed   = "removed"
	unchanged = "unchanged"
	checked   = "checked"
)

// Checked is the state of one client.
type Checked struct {
	Client string `json:"client"`
	Status Status `json:"status"`
	Says   string `json:"client_says"` // connected, not connected, not installed, not asked
	Files  []File `json:"files"`
	Reason string `json:"reason,omitempty"` // why its files cannot be used

	Hooks []Measured `json:"hooks,omitempty"` // what the hooks would add now
}

// Measured is how much a hook would add to a new session now.
type Measured struct {
	Hook  string `json:"hook"`
	Bytes int    `json:"bytes"`
	Limit int    `json:"limit"`
	MS    int64  `json:"ms"` // how long it took
}

// Outcome sets the exit code of a check: of not_found if nothing is set up, of conflict
// if something is missing, stale or broken.
func (o Out) Outcome() tools.Code {
	switch o.Status {
	case "", Current:
		return ""
	case Absent:
		return tools.NotFound
	}
	return tools.Conflict
}

// Text lists the files, with the diffs of a dry run, or the states of a check.
func (o Out) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, c := range o.Clients {
		lines = append(lines, "- "+env.Localize(stateText(c.Status), c.Client, env.Localize(saysText(c.Says))))
		for _, f := range c.Files {
			if f.Status != Absent {
				lines = append(lines, "  - "+env.Localize(stateText(f.Status), env.Localize(partText(f.Part)), f.Path))
			}
		}
		for _, h := range c.Hooks {
			lines = append(lines, "  - "+env.Localize("%s adds %d bytes (at most %d), in %d ms", h.Hook, h.Bytes,
				h.Limit, h.MS))
		}
		if c.Reason != "" {
			lines = append(lines, "  - "+c.Reason)
		}
	}
	if len(o.Clients) == 0 {
		for _, f := range o.Files {
			lines = append(lines, "- "+env.Localize(actionText(f.Action), f.Path))
			if f.Diff != "" {
				lines = append(lines, strings.TrimSuffix(f.Diff, "\n"))
			}
		}
	}
	return strings.Join(append(lines, o.Notes...), "\n")
}

// stateText returns the text for the state of a client or of a part.
func stateText(of Status) tools.Text {
	switch of {
	case Current:
		return "%s: ok (%s)"
	case Missing:
		return "%s: missing (%s)"
	case Stale:
		return "%s: stale (%s)"
	case Broken:
		return "%s: broken (%s)"
	}
	return "%s: absent (%s)"
}

func saysText(says string) tools.Text {
	switch says {
	case connected:
		return "connected"
	case notConnected:
		return "not connected"
	case notInstalled:
		return "not installed"
	}
	return "not asked"
}

func partText(p part) tools.Text {
	switch p {
	case serverPart:
		return "server"
	case hooksPart:
		return "hooks"
	}
	return "skill"
}

func actionText(action string) tools.Text {
	switch action {
	case created:
		return "created: %s"
	case changed:
		return "changed: %s"
	case removed:
		return "removed: %s"
	}
	return "unchanged: %s"
}
