package pg

import "time"

// SetWait lets calls of an engine wait for other writers for some milliseconds.
func SetWait(e *Engine, ms int) { e.limits.wait = time.Duration(ms) * time.Millisecond }

// Leads reports whether a call leads a batch that others can join.
func Leads(e *Engine) bool {
	e.batches.mu.Lock()
	defer e.batches.mu.Unlock()
	return e.batches.next != nil
}
