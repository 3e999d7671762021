package run

// Given are the parts of a command line that apply to the whole run.
type Given struct {
	Path     []string          // the words of the command
	Settings map[string]string // global flags
	Roots    []string          // --root, which may be repeated
	Files    *FileValues       // the settings in files; nil if they are not read
}
