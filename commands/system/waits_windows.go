package system

// stdinWaits: a call would have to read to know.
func stdinWaits() bool { return false }
