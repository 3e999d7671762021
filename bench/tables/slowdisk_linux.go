package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// slowSync is how much longer a sync of a file on a slow disk takes.
const slowSync = 5 * time.Millisecond

// slowDisk mounts a folder whose files are as others, but for slow syncs. unmount ends that. The
// kernel asks this process at each call, so that all programs are slower there.
func slowDisk(dir string) (mounted string, unmount func() error, err error) {
	backing := filepath.Join(dir, "backing")
	mounted = filepath.Join(dir, "slow")
	if err := errors.Join(os.Mkdir(backing, 0o700), os.Mkdir(mounted, 0o700)); err != nil {
		return "", nil, err
	}
	loopback, err := fs.NewLoopbackRoot(backing)
	if err != nil {
		return "", nil, err
	}
	keep := time.Hour // only this mount changes the files
	server, err := fs.Mount(mounted, &slowNode{loopback.(*fs.LoopbackNode)}, &fs.Options{
		EntryTimeout: &keep, AttrTimeout: &keep,
		MountOptions: fuse.MountOptions{DirectMount: true, FsName: "slow"},
	})
	if err != nil {
		return "", nil, fmt.Errorf("mount: %w", err)
	}
	return mounted, server.Unmount, nil
}

// slowNode is a file or folder whose syncs are slow.
type slowNode struct{ *fs.LoopbackNode }

// WrapChild returns the node of a file in a folder.
func (n *slowNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &slowNode{child.(*fs.LoopbackNode)}
}

// Fsync waits, then syncs.
func (n *slowNode) Fsync(ctx context.Context, file fs.FileHandle, flags uint32) syscall.Errno {
	time.Sleep(slowSync)
	if f, ok := file.(fs.FileFsyncer); ok {
		return f.Fsync(ctx, flags)
	}
	return 0
}
