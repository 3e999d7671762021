package stores

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/system"
	"techo/internal/confine"
	"techo/internal/private"
	"techo/internal/sorting"
	"techo/tools"
)

// The page chooses no path: its backups are in one folder for each store, outside the store.

const backupSuffix = ".backup"

type pageBackup struct {
	File   string `json:"file"`
	MadeAt string `json:"made_at"`
	Bytes  int64  `json:"bytes"`

	made time.Time
}

type pageBackupsOut struct {
	Folder  string       `json:"folder"`
	Backups []pageBackup `json:"backups"` // the newest first
	Bytes   int64        `json:"bytes"`
	Message string       `json:"message"`
}

// ForPage returns the commands for the store that the page calls, by their names there.
func ForPage(s *run.Run) map[string]*line.Command {
	return map[string]*line.Command{
		"store_info": storeInfoCommand(), "verify_store": storeVerifyCommand(anyStore),
		"make_backup": pageBackupCommand(s), "list_backups": pageBackupsCommand(s),
	}
}

func pageBackupCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "store backup",
		About:   "Back up the store to a new file in the folder for backups",
		Effect:  tools.Adds,
	}, func(ctx context.Context, env *tools.Env, _ struct{}) (out backupOut, err error) {
		st, err := env.Store(ctx, tools.Adds)
		if err != nil {
			return out, err
		}
		dir, err := backupFolder(ctx, env, s.System)
		if err == nil {
			err = private.CreateFolder(dir)
		}
		if err != nil {
			return out, FileError(env, dir, err)
		}
		return backUp(ctx, env, st, confine.Place{Path: freeBackup(dir, env.Now().In(env.Zone))})
	})}
}

func pageBackupsCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "store backups",
		About:   "List the backups in the folder for backups",
		Effect:  tools.Reads,
	}, func(ctx context.Context, env *tools.Env, _ struct{}) (out pageBackupsOut, err error) {
		if out.Folder, err = backupFolder(ctx, env, s.System); err != nil {
			return out, err
		}
		out.Backups, err = listBackups(env, out.Folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return out, FileError(env, out.Folder, err)
		}
		for _, b := range out.Backups {
			out.Bytes += b.Bytes
		}
		count := env.Count(len(out.Backups), "%d backup", "%d backups")
		out.Message = env.Localize("%s, %s", count, byteText(out.Bytes))
		return out, nil
	})}
}

// backupFolder returns the folder for backups of the store, which need not exist. The id of
// the store keeps the backups of several stores apart.
func backupFolder(ctx context.Context, env *tools.Env, w system.System) (string, error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return "", err
	}
	info, _, err := st.Info(ctx)
	if err != nil {
		return "", err
	}
	data := w.Data()
	if data == "" {
		return "", env.Fail(tools.Unavailable, "There is no folder for backups: HOME is not set").
			WithHint(env.Hint("Name a file: %s", tools.Use("store backup", tools.Placeholder("FILE"))))
	}
	return filepath.Join(data, system.Name+"-backups", info.ID), nil
}

func freeBackup(dir string, at time.Time) string {
	for n := 1; ; n++ {
		name := "techo-" + at.Format("2006-01-02T150405")
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		path := filepath.Join(dir, name+backupSuffix)
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}

func listBackups(env *tools.Env, dir string) ([]pageBackup, error) {
	all := []pageBackup{}
	folder, err := private.OpenFolderItself(dir)
	if err != nil {
		return all, err
	}
	defer folder.Close()
	entries, err := folder.Entries()
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || !st.Mode().IsRegular() || !strings.HasSuffix(e.Name(), backupSuffix) {
			continue // it was removed, or is no backup
		}
		all = append(all, pageBackup{File: filepath.Join(dir, e.Name()), MadeAt: env.Time(st.ModTime()),
			Bytes: st.Size(), made: st.ModTime()})
	}
	sorting.By(all, func(a, b pageBackup) int { return b.made.Compare(a.made) })
	return all, err
}
