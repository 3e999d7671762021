//go:build !unix

package regular

// NoWait has no meaning here.
const NoWait = 0
