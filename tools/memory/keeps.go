package memory

// Keeps lists the texts that are kept.
func (AddIn) Keeps() []string {
	return []string{"full_text", "caption", "session", "topic", "source", "memories"}
}

// Keeps lists the texts that are kept.
func (EditIn) Keeps() []string {
	return []string{"full_text", "caption", "session", "topic", "source"}
}

// Keeps lists the texts that are kept.
func (SupersedeIn) Keeps() []string {
	return []string{"full_text"}
}

// Keeps lists the texts that are kept.
func (ToolIn) Keeps() []string {
	return []string{"file_text", "new_str", "insert_text"}
}
