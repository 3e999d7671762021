package tools

import "techo/internal/lineage"

// Caller describes the caller, as far as the interface can determine. No input of a tool can
// change it.
type Caller struct {
	// Client names the session or client whose calls are counted together when the
	// host names no turn.
	Client string

	// Turn is the conversation turn named by the host, or "".
	Turn string

	// MaxPerTurn limits the calls of a counted tool in one turn; 0 disables the limit.
	MaxPerTurn int

	// Tree returns the caller's process tree. A nil function and the zero Tree both
	// mean that it is unknown.
	Tree func() lineage.Tree

	// Answers reports whether the person's file allows commands to answer questions
	// (answer = "command").
	Answers bool

	// Secret reports whether the person has entered their secret in the session of the
	// page.
	Secret bool

	// Vouched is the channel by which the interface itself got the answer from the person,
	// such as "elicitation". "" means that a command sent it.
	Vouched string
}

// DefaultMaxPerTurn applies unless the person or the host sets another limit.
const DefaultMaxPerTurn = 2
