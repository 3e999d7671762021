package run

// Given are the words of a command line that hold for the run as a whole.
type Given struct {
	Path     []string          // the names of the command
	Settings map[string]string // global flags
	Roots    []string          // the one that may be given several times
}
