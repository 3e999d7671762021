package change

import (
	"techo/tools"
	"techo/tools/files/paths"
)

// For tests that undo changes with the tools.
const CopiesFolder = copiesFolder

var CopyName = copyName

// KeepCopy keeps a copy of a content of a file beside it.
func KeepCopy(env *tools.Env, f *paths.File, content []byte) error {
	_, err := keepCopy(env, f, content)
	return err
}

// CopyInStore keeps a copy of a content of a file in the store.
func CopyInStore(env *tools.Env, f *paths.File, content []byte) error {
	k, err := copyInStore(env, f, paths.Hash(content), true)
	if err != nil {
		return err
	}
	return k.dir.WriteFile(k.name, content, 0o600)
}
