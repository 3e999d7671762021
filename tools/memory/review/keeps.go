package review

// Keeps lists the texts that are kept.
func (MergeIn) Keeps() []string {
	return []string{"full_text"}
}
