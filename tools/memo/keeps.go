package memo

// Keeps lists the texts that are kept.
func (AddIn) Keeps() []string {
	return []string{"name", "content", "tags", "detail"}
}

// Keeps lists the texts that are kept.
func (EditIn) Keeps() []string {
	return []string{"content", "tags", "detail", "new_name"}
}

// Keeps lists the texts that are kept.
func (RenameTagIn) Keeps() []string {
	return []string{"new_tag"}
}
