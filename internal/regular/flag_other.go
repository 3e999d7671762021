//go:build !unix

package regular

// nonBlocking has no meaning here.
const nonBlocking = 0
