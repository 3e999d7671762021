package paths

import (
	"strings"

	"techo/tools"
)

// misread returns the first element of a path that Windows reads as something else: a device
// (NUL, COM1.txt), a stream of a file (a.txt:b), or a name without its last dots and spaces. It is
// "" without one.
func misread(path string) string {
	if strings.HasPrefix(path, `\\.\`) {
		return path
	}
	path = strings.TrimPrefix(path, `\\?\`)
	if len(path) > 1 && path[1] == ':' {
		path = path[2:] // a drive
	}
	for element := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if element == "." || element == ".." {
			continue
		}
		if strings.Contains(element, ":") || strings.TrimRight(element, ". ") != element || isDevice(element) {
			return element
		}
	}
	return ""
}

// isDevice reports whether a name is reserved for a device, with any ending.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(strings.ToUpper(name), ".")
	switch name = strings.TrimRight(name, " "); name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, found := strings.CutPrefix(name, "COM")
	if !found {
		number, found = strings.CutPrefix(name, "LPT")
	}
	return found && len([]rune(number)) == 1 && strings.Contains("0123456789¹²³", number)
}

// checkName refuses a path that Windows would take for another one.
func checkName(env *tools.Env, path string) error {
	if !onWindows {
		return nil
	}
	if element := misread(path); element != "" {
		return tools.InvalidField(env, "/path", "has a name that Windows does not give to files: %q", element).
			WithHint(env.Hint("Use a name without a colon and without a dot or space at its end; NUL, CON, COM1 " +
				"and their like are devices"))
	}
	return nil
}
