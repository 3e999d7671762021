package system

import "techo/internal/buildstamp"

const (
	// Name is the name of the program.
	Name = "techo"

	// Version is the released version.
	Version = "0.1.0"
)

// VersionLine returns the name, the version and, if it is known, the commit.
func VersionLine(stamp buildstamp.Stamp) string {
	if text := stamp.String(); text != "" {
		return Name + " " + Version + " (" + text + ")"
	}
	return Name + " " + Version
}
