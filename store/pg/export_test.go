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

// SetAnswer lets a round trip take so much longer than a statement.
func SetAnswer(e *Engine, d time.Duration) { e.limits.answer = d }

// SetIdle closes connections that were idle for a time.
func SetIdle(e *Engine, d time.Duration) { e.pool.maxIdle = d }

// Idle returns the number of idle connections.
func Idle(e *Engine) int {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	return len(e.pool.idle)
}
