package ask

// Keeps lists the texts that are kept.
func (AskIn) Keeps() []string {
	return []string{"question", "options", "default"}
}

// Keeps lists the texts that are kept.
func (AnswerIn) Keeps() []string {
	return []string{"answer"}
}
