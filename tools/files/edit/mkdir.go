package edit

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/paths"
)

// MakeFolder is the tool create_folder: it creates a folder.
var MakeFolder = &tools.Tool{
	Name:    "create_folder",
	For:     tools.Agents,
	Command: "fs mkdir",
	About:   "Create a folder with its parents",
	Details: "A folder that is there already is fine: created_folders is then empty.",
	Notes: []tools.Note{
		{Text: "%s creates the folders of its file by itself.", Names: []string{"fs write"}},
	},
	Effect:    tools.Changes,
	Forbidden: paths.Forbidden,
	Words:     []string{"path"},
	Examples:  []tools.Example{{Does: "Create a folder in another one", Line: `fs mkdir reports/2026`}},
	Run:       tools.Func[MakeFolderIn, MakeFolderOut](makeFolder),
}

// MakeFolderIn is the input of create_folder.
type MakeFolderIn struct {
	Path string `json:"path" minLength:"1" doc:"The folder to create" list:"bare"`
}

// MakeFolderOut is the result of create_folder.
type MakeFolderOut struct {
	Path    string   `json:"path"`
	Created bool     `json:"created"`
	Folders []string `json:"created_folders" compact:"keep"` // outermost first
	Message string   `json:"message"`
}

// Text returns the message and the folders.
func (o MakeFolderOut) Text(*tools.Env) string {
	return strings.Join(slices.Concat([]string{o.Message}, change.FolderLines(o.Folders)), "\n")
}

func makeFolder(_ context.Context, env *tools.Env, in MakeFolderIn) (out MakeFolderOut, err error) {
	p, err := paths.Locate(env, in.Path)
	if err != nil {
		return out, err
	}
	if p.IsStoreFile(env) {
		return out, paths.BelongsToStore(env, in.Path)
	}
	out = MakeFolderOut{Path: p.Shown, Folders: []string{}}
	info, err := p.Lstat(p.Path)
	if err == nil && !info.IsDir() {
		return out, env.Fail(tools.AlreadyExists, "%s is there and is no folder", p.Shown).
			WithHint(env.Hint("Choose another name, or remove it with %s", tools.Use("fs remove", p.Shown)))
	}
	if err == nil {
		out.Message = env.Localize("The folder %s is there already", p.Shown)
		return out, nil
	}
	var made change.Folders
	defer made.RemoveAfter(env, &err)
	inside := p
	inside.Path = filepath.Join(p.Path, "x") // of which the folder is a parent
	if err := made.MakeForPlace(env, inside, false); err != nil {
		e := tools.AsError(env, change.BelowFile(env, p, err)) // p is what was asked for
		if e.Code == tools.NotFound {
			e.Code = tools.AlreadyExists
		}
		return out, e
	}
	out.Created, out.Folders = len(made) > 0, append(out.Folders, made.Shown(env)...)
	out.Message = env.Localize("Created the folder %s", p.Shown)
	return out, nil
}
