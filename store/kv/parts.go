package kv

import (
	"techo/store/kv/disk"
	"techo/store/kv/fault"
	"techo/store/kv/journal"
	"techo/store/kv/lock"
	"techo/store/kv/rescue"
)

// Limits of every engine.
const (
	MaxKey   = journal.MaxKey   // bytes of a key
	MaxValue = journal.MaxValue // bytes of a value
)

// The errors of engines that the files of a store have as well.
var (
	ErrNotFound = fault.ErrNotFound
	ErrNoSpace  = fault.ErrNoSpace
	ErrGone     = fault.ErrGone
)

// These errors are described in package fault.
type (
	BusyError      = fault.BusyError
	CorruptError   = fault.CorruptError
	VersionError   = fault.VersionError
	NotFolderError = fault.NotFolderError
	NetworkError   = fault.NetworkError
	Reason         = fault.Reason
	ReasonCode     = fault.ReasonCode
)

// ReasonOf returns the reason of an error, as fault.ReasonOf does.
func ReasonOf(err error) Reason { return fault.ReasonOf(err) }

// These types are described in package rescue.
type (
	Rescued = rescue.Rescued
	Finding = rescue.Finding
	Change  = rescue.Change
	State   = rescue.State
)

// States of a Change.
const (
	Lost        = rescue.Lost
	RolledBack  = rescue.RolledBack
	Resurrected = rescue.Resurrected
)

// CacheTempPrefix begins the names of files in the folder of cached web pages while they are
// written.
const CacheTempPrefix = disk.CacheTempPrefix

// IsCacheName reports whether techo generates a name in the folder of cached web pages.
func IsCacheName(name string) bool { return disk.IsCacheName(name) }

// Holds reports whether an entry of a store's folder with a name holds data that cannot be
// recreated.
func Holds(name string) bool { return disk.Holds(name) }

// Exists reports whether a folder holds a store. A folder that cannot be read is taken for one.
func Exists(dir string) bool { return disk.Exists(dir) }

// Mark returns a value that differs from earlier ones after a process has written to the store in a
// folder.
func Mark(dir string) any { return lock.Mark(dir) }
