//go:build !unix

package serve

// lockFolder does nothing on this system.
func lockFolder(string) (unlock func()) { return func() {} }
