package ledger

import "slices"

// Role is what a member of a shared space may do. Each role includes those before it.
type Role int

// The roles.
const (
	NoRole    Role = iota
	ReadRole       // search, list and read
	WriteRole      // add, change and remove records, and undo own changes
	AdminRole      // undo changes of others, and choose the members
)

var roleNames = []string{"", "read", "write", "admin"}

func (r Role) String() string { return roleNames[r] }

// RoleNamed returns the role with a name, NoRole for others.
func RoleNamed(name string) Role { return Role(max(slices.Index(roleNames, name), 0)) }
