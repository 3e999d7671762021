package todo

// Keeps lists the texts that are kept.
func (AddIn) Keeps() []string {
	return []string{"title", "location", "description", "categories", "attendees", "organizer", "url"}
}

// Keeps lists the texts that are kept.
func (EditIn) Keeps() []string {
	return []string{"title", "location", "description", "categories", "attendees", "organizer", "url"}
}
