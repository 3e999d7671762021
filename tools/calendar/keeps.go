package calendar

// Keeps lists the texts that are kept.
func (CreateIn) Keeps() []string {
	return []string{"title", "location", "description", "categories", "attendees", "organizer", "url"}
}

// Keeps lists the texts that are kept.
func (UpdateIn) Keeps() []string {
	return []string{"title", "location", "description", "categories", "attendees", "organizer", "url"}
}
