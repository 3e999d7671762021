package edit

import (
	"context"
	"os"
	"testing"

	"techo/tools"
	"techo/tools/files/filestest"
	"techo/tools/files/patch"
	"techo/tools/files/read"
)

func TestMain(m *testing.M) { os.Exit(filestest.Run(m)) }

var (
	check     = filestest.Check
	put       = filestest.Put
	link      = filestest.Link
	codeOf    = filestest.CodeOf
	confined  = filestest.Confined
	putFiles  = filestest.PutFiles
	testEnv   = filestest.Env
	withStore = filestest.WithStore
	contents  = filestest.Contents
	freeEnv   = filestest.FreeEnv
	encoded   = filestest.Encoded
)

func readFile(ctx context.Context, env *tools.Env, in read.In) (read.Out, error) {
	r, err := filestest.Call[read.Result](ctx, read.File, env, in)
	if r.Page == nil {
		r.Page = &read.Page{}
	}
	return read.Out{Page: *r.Page, Message: r.Message, Normalized: r.Normalized}, err
}

func readText(env *tools.Env, path string) (string, error) {
	out, err := readFile(context.Background(), env, read.In{Path: path, Offset: 1, Limit: 2000})
	return out.Content, err
}

func patchFiles(env *tools.Env, text string) (patch.Out, error) {
	return filestest.Call[patch.Out](context.Background(), patch.Apply, env, patch.In{Patch: text, Parents: true})
}
