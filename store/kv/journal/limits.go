package journal

// Limits of keys and values.
const (
	MaxKey   = 1 << 10 // bytes of a key
	MaxValue = 8 << 20 // bytes of a value
)
