package pg

// Conflicts returns the number of attempts of transactions that met others.
func Conflicts(e *Engine) int64 { return e.conflicts.Load() }
