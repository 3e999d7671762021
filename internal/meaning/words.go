package meaning

// Known reports whether the table has an English word, a name that is written in Latin
// letters, or a plain form of it. The word is of ASCII letters, in any case. A misspelt word
// is not known.
func Known(word string) bool {
	var buffer [64]byte
	lower := appendLower(buffer[:0], word)
	if _, ok := builtIn.find(lower); ok {
		return true
	}
	known := false
	stems(lower, func(stem []byte) bool {
		if len(stem) > 2 {
			_, known = builtIn.find(stem)
		}
		return !known
	})
	return known
}
