package pdftext

import "io/fs"

// isOwn reports whether a folder is the user's: Windows gives each its own.
func isOwn(fs.FileInfo) bool { return true }
