package rescue

import (
	"techo/store/kv"
)

// Finding describes one damage.
type Finding struct {
	Path   string
	Reason kv.Reason
}

// State is the state of a record after a rescue, compared with what was last
// written.
type State string

// States of a Change.
const (
	Lost        State = "lost"        // no longer there
	RolledBack  State = "rolled_back" // an older version is there
	Resurrected State = "resurrected" // deleted, and there again
)

// Change is a key whose value after the rescue differs from the last one written.
type Change struct {
	Key   []byte
	State State

	// Certain is false for a key that was read from a damaged place without a
	// checksum. The key may be wrong, or its value unchanged.
	Certain bool
}

// Rescued is the result of a rescue.
type Rescued struct {
	Findings []Finding
	Changes  []Change // sorted by key
	Aside    string   // folder of the damaged store, "" when it was not replaced

	// Unnamed is the number of damaged places whose keys are not all known. Each has a
	// finding that describes its range.
	Unnamed int
}
