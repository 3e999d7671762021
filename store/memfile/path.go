package memfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Root is the folder of all files. It exists always.
const Root = "/memories"

// Reason says why a path is refused.
type Reason string

// The reasons.
const (
	Outside   Reason = "outside"   // it does not begin with /memories
	Climbs    Reason = "climbs"    // it names the folder above, in any spelling
	Character Reason = "character" // it has a character that no name may have
	Long      Reason = "long"      // it, or a name in it, has too many bytes
)

// PathError reports a path that no file can have.
type PathError struct {
	Path   string
	Reason Reason
}

func (e *PathError) Error() string { return fmt.Sprintf("memory file %q: path: %s", e.Path, e.Reason) }

// Clean returns the one form of a path: NFC, without doubled and final slashes. It fails with a
// PathError for a path outside of Root and for one that any program might take for such a path: with
// the folder above, a backslash, an escaped dot or slash, a letter that looks like one of them, or an
// invisible character.
func Clean(path string) (string, error) {
	fail := func(why Reason) (string, error) { return "", &PathError{path, why} }
	if !utf8.ValidString(path) {
		return fail(Character)
	}
	clean := norm.NFC.String(path)
	names := strings.Split(clean, "/")
	if len(names) < 2 || names[0] != "" || "/"+names[1] != Root {
		return fail(Outside)
	}
	kept := names[:1]
	for _, name := range names[1:] {
		if name == "" {
			continue
		}
		if why := refused(name); why != "" {
			return fail(why)
		}
		kept = append(kept, name)
	}
	if clean = strings.Join(kept, "/"); len(clean) > MaxPath {
		return fail(Long)
	}
	return clean, nil
}

// slashes look like a slash or a backslash, or are one.
const slashes = "/\\\u2044\u2215\u2216\u29f5\u29f8\u29f9\u2571\u2572\ufe68\uff0f\uff3c"

// refused returns why a name may not be a part of a path, or "".
func refused(name string) Reason {
	plain := norm.NFKC.String(name)
	switch {
	case len(name) > maxName:
		return Long
	case strings.ContainsFunc(name, hidden):
		return Character
	case strings.ContainsAny(plain, slashes), strings.ContainsAny(name, slashes), escapes(plain):
		return Climbs
	case strings.Trim(plain, ". \u00b7\u2022\u2219\u22c5\u30fb\u3002") == "":
		return Climbs // dots, or what looks like them
	}
	return ""
}

// hidden reports whether a character is invisible or changes how others are shown.
func hidden(r rune) bool {
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co, unicode.Zl, unicode.Zp)
}

// escapes reports whether a percent escape in a name stands for anything but a printable character
// that may be part of a name. The percent sign is none: behind it a second escape may hide.
func escapes(name string) bool {
	for i := 0; i+2 < len(name); i++ {
		if name[i] != '%' {
			continue
		}
		c, err := strconv.ParseUint(name[i+1:i+3], 16, 8)
		if err == nil && (c < ' ' || c >= 0x7f || strings.IndexByte(`./\%`, byte(c)) >= 0) {
			return true
		}
		if name[i+1] == 'u' || name[i+1] == 'U' { // %u002e
			return true
		}
	}
	return false
}

// Parent returns the folder of a path, "" for the root.
func Parent(path string) string {
	if path == Root {
		return ""
	}
	return path[:strings.LastIndexByte(path, '/')]
}

// Below reports whether a path is in a folder, at any depth.
func Below(path, folder string) bool { return strings.HasPrefix(path, folder+"/") }
