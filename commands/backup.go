package commands

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"techo/export"
	"techo/store"
	"techo/store/kv"
	"techo/tools"
)

// backupIn is the input of the command store backup.
type backupIn struct {
	File string `json:"file" min:"1" en:"The file to write" ja:"書き込むファイル"`
}

// backupOut is the result of the command store backup.
type backupOut struct {
	File    string `json:"file"`
	Records int64  `json:"records"`
	Bytes   int64  `json:"bytes"`
	Message string `json:"message"`
}

// storeBackupCommand writes one consistent snapshot of the store.
func storeBackupCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "store backup",
		About:   tools.Say{EN: "Write the whole store to one file, while others work", JA: "ストア全体を1つのファイルに書き出す（使用中でも可）"},
		More: tools.Say{
			EN: "The file holds one consistent state, with checksums. It appears when it is whole and on the disk, in place of an older one of its name.",
			JA: "ある時点の一貫した状態を、チェックサム付きで書き出す。完全に書き込まれてから、同名の古いファイルと置き換わる。",
		},
		Effect:   tools.Reads,
		Words:    []string{"file"},
		Examples: []tools.Example{{Does: tools.Say{EN: "Back the store up", JA: "バックアップする"}, Line: "store backup techo.backup"}},
	}, func(ctx context.Context, env *tools.Env, in backupIn) (out backupOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		path := s.path(in.File)
		if where, err := s.place(); err == nil && within(where, path) {
			return out, env.Fail(tools.InvalidInput, tools.Say{EN: "A backup does not belong into the store itself: %s", JA: "バックアップをストア自体の中には置けません: %s"}, path).
				WithHint(env.Say(tools.Say{EN: "Name a file elsewhere", JA: "別の場所のファイルを指定してください"}))
		}
		records, size, err := export.Backup(ctx, st, path)
		if err != nil {
			return out, fileError(env, path, err)
		}
		return backupOut{path, records, size,
			env.Say(tools.Say{EN: "Backed up %d records, %s", JA: "%dレコード、%s をバックアップしました"}, records, byteText(size))}, nil
	})}
}

// restoreIn is the input of the command store restore.
type restoreIn struct {
	File  string `json:"file" min:"1" en:"The backup" ja:"バックアップファイル"`
	Force bool   `json:"force,omitempty" en:"Also when the store is not empty; the old one is kept beside it" ja:"ストアが空でなくても復元する（元のストアは隣に残す）"`
}

// restoreOut is the result of the command store restore.
type restoreOut struct {
	Store   string `json:"store"`
	Records int64  `json:"records"`
	Aside   string `json:"aside,omitempty"`
	Message string `json:"message"`
}

// storeRestoreCommand puts a backup in the place of the store.
func storeRestoreCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "store restore",
		About:   tools.Say{EN: "Put a backup in the place of the store", JA: "バックアップからストアを復元する"},
		More: tools.Say{
			EN: "The backup is read to its end before anything changes: a damaged one is refused. A store that is not empty is only replaced with --force, and is kept beside it.",
			JA: "変更の前にバックアップを最後まで検査し、壊れていれば拒否する。空でないストアは --force の時だけ置き換え、元のストアは隣に残す。",
		},
		Effect:   tools.Changes,
		Words:    []string{"file"},
		Examples: []tools.Example{{Does: tools.Say{EN: "Go back to a backup", JA: "バックアップに戻す"}, Line: "store restore techo.backup --force"}},
	}, func(ctx context.Context, env *tools.Env, in restoreIn) (out restoreOut, err error) {
		where, err := s.place()
		if err != nil {
			return out, err
		}
		backup := s.path(in.File)
		done, err := store.Restore(ctx, where, backup, in.Force,
			store.Options{Holder: s.name(), Now: s.now})
		if full := new(kv.NotEmptyError); errors.As(err, &full) {
			if full.Alien != "" {
				return out, env.Fail(tools.Conflict, tools.Say{EN: "%s is no store: %s is in it", JA: "%s はストアではありません（%s があります）"}, where, full.Alien).
					WithHint(env.Say(tools.Say{EN: "Name a store, or a folder that is not there yet: --store DIR", JA: "ストアか、まだ無いフォルダを指定してください: --store DIR"}))
			}
			return out, env.Fail(tools.Conflict, tools.Say{EN: "The store is not empty: %s", JA: "ストアが空ではありません: %s"}, where).
				WithHint(env.Say(tools.Say{EN: "With --force it is replaced, and kept beside the new one", JA: "--force を付けると、元のストアを隣に残して置き換えます"}))
		}
		if err != nil {
			return out, fileError(env, backup, err)
		}
		return restoreOut{where, done.Records, done.Aside,
			env.Say(tools.Say{EN: "Restored %d records", JA: "%dレコードを復元しました"}, done.Records)}, nil
	})}
}

// within reports whether a file that may not be there yet would lie in a folder.
func within(folder, file string) bool {
	parent, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	inside, err := filepath.Rel(real, parent)
	return err == nil && filepath.IsLocal(inside)
}

// fileError tells what is wrong with the file of a backup.
func fileError(env *tools.Env, path string, err error) error {
	var corrupt *kv.CorruptError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return env.Fail(tools.NotFound, tools.Say{EN: "There is no such file or folder: %s", JA: "ファイルまたはフォルダがありません: %s"}, path)
	case errors.As(err, &corrupt) && corrupt.Path == path:
		return env.Fail(tools.Corrupt, tools.Say{EN: "The backup is damaged, nothing was changed: %v", JA: "バックアップが壊れています。何も変更していません: %v"}, corrupt).
			WithHint(env.Say(tools.Say{EN: "Use another backup; techo store verify tells how the store itself is", JA: "別のバックアップを使ってください。ストア自体は techo store verify で確認できます"}))
	case errors.Is(err, syscall.EBUSY), errors.Is(err, syscall.EXDEV):
		return env.Fail(tools.Conflict, tools.Say{EN: "The store cannot be exchanged, since something is mounted there: %v", JA: "マウント先のため、ストアを入れ替えられません: %v"}, err).
			WithHint(env.Say(tools.Say{EN: "Restore into another folder: --store DIR", JA: "別のフォルダに復元してください: --store DIR"}))
	}
	about := func(failed string) bool { return failed == path || filepath.Dir(failed) == filepath.Dir(path) }
	var one *fs.PathError
	var two *os.LinkError
	if errors.As(err, &one) && about(one.Path) || errors.As(err, &two) && about(two.New) {
		switch {
		case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
			return env.Fail(tools.Forbidden, tools.Say{EN: "No permission for the file: %v", JA: "ファイルへのアクセス権がありません: %v"}, err)
		case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EISDIR), errors.Is(err, fs.ErrExist):
			return env.Fail(tools.InvalidInput, tools.Say{EN: "There can be no such file: %v", JA: "そのファイルは置けません: %v"}, err)
		}
	}
	return err
}
