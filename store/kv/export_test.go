package kv

// ForceMerge merges the journal into the tables, for tests outside of the package.
func (l *Local) ForceMerge() error { return l.forceMerge() }
