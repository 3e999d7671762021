package folder

// ForceMerge merges the journal into the tables, for tests outside of the package.
func (l *Engine) ForceMerge() error { return l.forceMerge() }
