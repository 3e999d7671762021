package memory

import "techo/tools"

// Settings are the settings for memories.
type Settings struct {
	On       bool   // memory is enabled
	Files    bool   // the memory tool is enabled
	InPrompt bool   // the prompt contains references to memories
	Service  string // address of a memory service that replaces the store, or ""
	Token    string // bearer token for the service, or ""

	// Received is the result of investigate_memory that a server has returned. The call
	// then only writes it to files of this machine.
	Received []byte

	// Turns counts the calls of the process that the store cannot count because it may only
	// be read. nil means that there is no count: such a call fails.
	Turns *Turns
}

func settings(env *tools.Env) Settings { return tools.Setting[Settings](env) }
