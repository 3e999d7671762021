package ledger

import (
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/legible"
)

// Limits of memories.
const (
	MaxText     = 4 << 20 // bytes of a full text
	MaxLabel    = 200     // characters of a session or a topic, after NFC
	MaxUserName = 256     // bytes
)

// UserNameError reports a name that no user may have.
type UserNameError struct{ MaxBytes int }

func (e *UserNameError) Error() string {
	return fmt.Sprintf("user: no name of at most %d bytes of UTF-8 without control characters", e.MaxBytes)
}

// UserName reports whether a user may have this name.
func UserName(name string) bool {
	shown := name == "" || !legible.Blank(name) && !legible.Control(name)
	return shown && utf8.ValidString(name) && len(norm.NFC.String(name)) <= MaxUserName
}

// NormalUser returns the form of a user's name in which equal names have equal bytes.
func NormalUser(name string) string { return norm.NFC.String(name) }

// SameUser reports whether two names denote one user.
func SameUser(a, b string) bool { return norm.NFC.String(a) == norm.NFC.String(b) }
