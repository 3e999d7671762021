package pg

import "time"

// SetPatience lets calls of an engine wait for other writers for some milliseconds.
func SetPatience(e *Engine, ms int) { e.limits.patience = time.Duration(ms) * time.Millisecond }
