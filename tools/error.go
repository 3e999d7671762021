package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"techo/store"
	"techo/store/kv"
)

// Code is the kind of a failure, from a closed list. Every face maps it once:
// to an exit code, an HTTP status, a protocol's error.
type Code string

// The codes.
const (
	InvalidInput  Code = "invalid_input"  // a flag, argument or field is unknown, missing or out of range
	NotFound      Code = "not_found"      // the thing does not exist
	Unavailable   Code = "unavailable"    // switched off here, or credentials are missing
	Forbidden     Code = "forbidden"      // outside of what is allowed
	AlreadyExists Code = "already_exists" // the name is taken
	Conflict      Code = "conflict"       // the thing changed, or the place is taken
	LimitExceeded Code = "limit_exceeded" // more than allowed
	Busy          Code = "busy"           // the store is held past the deadline
	Upstream      Code = "upstream"       // another service failed
	RateLimited   Code = "rate_limited"   // asked too often
	NoSpace       Code = "no_space"       // the disk is full; nothing was changed
	Corrupt       Code = "corrupt"        // the store does not read back as written
	Internal      Code = "internal"       // a fault of techo
	Timeout       Code = "timeout"        // the time that was given ran out
	Cancelled     Code = "cancelled"      // interrupted
)

// Error is how every face says that a call failed.
type Error struct {
	Code      Code     `json:"code"`
	Message   string   `json:"message"`
	Hint      string   `json:"hint,omitempty"` // what to do next
	Tool      string   `json:"tool,omitempty"` // the name that an agent calls it by
	Retryable bool     `json:"retryable"`      // the same call may succeed later
	Details   []Detail `json:"details,omitempty"`
}

// Detail is one of several faults, or a fact about the one.
type Detail struct {
	Path    string `json:"path"` // JSON pointer into the input; "" is the whole
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Fail makes an error out of a text in the caller's language.
func (env *Env) Fail(code Code, message Say, args ...any) *Error {
	return &Error{Code: code, Message: message.In(env.Lang, args...), Retryable: code == Busy || code == RateLimited || code == Timeout}
}

// WithHint adds what to do next.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// ErrTimeout is the cause of a context whose --timeout ran out.
var ErrTimeout = errors.New("timeout")

// asError maps what a tool's function or the store returned to an Error.
func asError(env *Env, err error) *Error {
	if e := new(Error); errors.As(err, &e) {
		return e
	}
	if e := storeError(env, err); e != nil {
		return e
	}
	switch {
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return env.Fail(Timeout, Say{"The time given by --timeout ran out", "--timeout の時間内に終わりませんでした"}).
			WithHint(Say{"Give it longer, e.g. --timeout 60s", "--timeout 60s のように長くしてください"}.In(env.Lang))
	case errors.Is(err, context.Canceled):
		return env.Fail(Cancelled, Say{"Interrupted", "中断されました"})
	}
	return env.Fail(Internal, Say{"techo failed: %v", "techo の内部エラー: %v"}, err)
}

// storeError maps the errors of the store, nil for all others.
func storeError(env *Env, err error) *Error {
	var (
		missing  *store.NotFoundError
		taken    *store.TakenError
		limit    *store.LimitError
		reused   *store.ReusedKeyError
		noEngine *store.NoEngineError
		busy     *kv.BusyError
		corrupt  *kv.CorruptError
		version  *kv.VersionError
		large    *kv.TooLargeError
		file     *kv.NotFolderError
		network  *kv.NetworkError
	)
	switch {
	case errors.As(err, &missing):
		e := env.Fail(NotFound, Say{"%s not found: %s", "%s が見つかりません: %s"}, missing.Noun, missing.Name)
		if len(missing.Near) > 0 {
			e.Hint = env.DidYouMean(missing.Near)
		}
		return e
	case errors.As(err, &taken):
		return env.Fail(AlreadyExists, Say{"The %s name %q is already in use", "%s の名前「%s」は既に使用されています"}, taken.Noun, taken.Name)
	case errors.As(err, &limit):
		return env.Fail(LimitExceeded, Say{"Too many %s: %d, at most %d", "%s が多すぎます: %d（最大 %d）"}, limit.What, limit.Got, limit.Most)
	case errors.As(err, &reused):
		return env.Fail(Conflict, Say{"The idempotency key %q was used before with another input", "冪等キー「%s」は別の入力で使用済みです"}, reused.Key).
			WithHint(Say{"Use a new key for a new call", "新しい呼び出しには新しいキーを使ってください"}.In(env.Lang))
	case errors.As(err, &noEngine):
		return env.Fail(Unavailable, Say{"A store at %s:// is not built yet", "%s:// のストアはまだ使えません"}, noEngine.Engine).
			WithHint(Say{"Give a folder: --store DIR", "フォルダを指定してください: --store DIR"}.In(env.Lang))
	case errors.As(err, &busy):
		e := env.Fail(Busy, Say{"The store is held by another process", "ストアは別のプロセスが使用中です"}).
			WithHint(Say{"Try again; if that process hangs, end it", "時間をおいて再実行してください。そのプロセスが止まっている場合は終了させてください"}.In(env.Lang))
		e.Details = []Detail{{Message: holder(env, busy)}}
		return e
	case errors.As(err, &corrupt):
		return env.Fail(Corrupt, Say{"The store does not read back as it was written: %v", "ストアの内容が書き込み時と一致しません: %v"}, corrupt).
			WithHint(Say{"Run techo store verify, then techo store restore from a backup, or techo doctor without one", "techo store verify で確認し、techo store restore でバックアップから復元してください。バックアップが無ければ techo doctor を使ってください"}.In(env.Lang))
	case errors.As(err, &version):
		return env.Fail(Unavailable, Say{"A newer techo wrote %s (format %d, this one knows up to %d)", "%s は新しい techo の形式です（形式 %d、対応は %d まで）"}, version.Path, version.Found, version.Known).
			WithHint(Say{"Install a newer techo", "新しい techo を使ってください"}.In(env.Lang))
	case errors.As(err, &large):
		return env.Fail(LimitExceeded, Say{"Too large: %d bytes, at most %d", "大きすぎます: %d バイト（最大 %d）"}, large.Size, large.Most)
	case errors.As(err, &file):
		return env.Fail(InvalidInput, Say{"The store is a file, not a folder: %s", "ストアがフォルダではなくファイルです: %s"}, file.Path).
			WithHint(Say{"Name a folder: --store DIR", "フォルダを指定してください: --store DIR"}.In(env.Lang))
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP):
		return env.Fail(InvalidInput, Say{"There can be no store there: %s", "そこにはストアを置けません: %s"}, shortPath(err)).
			WithHint(Say{"Name a folder: --store DIR", "フォルダを指定してください: --store DIR"}.In(env.Lang))
	case errors.As(err, &network):
		return env.Fail(Unavailable, Say{"The store would lie on a network file system (%s), where locks cannot be trusted: %s", "ストアがネットワークファイルシステム（%s）上にあり、ロックを信頼できません: %s"}, network.Kind, network.Path).
			WithHint(Say{"Name a folder on a disk of this machine: --store DIR or TECHO_STORE", "このマシンのディスク上のフォルダを指定してください: --store DIR または TECHO_STORE"}.In(env.Lang))
	case errors.Is(err, syscall.EIO):
		return env.Fail(Internal, Say{"The disk reported an error: %v", "ディスクの入出力エラーです: %v"}, err).
			WithHint(Say{"Check the disk; techo doctor tells how the store is", "ディスクを確認してください。ストアの状態は techo doctor で確認できます"}.In(env.Lang))
	case errors.Is(err, kv.ErrNoSpace), errors.Is(err, syscall.ENOSPC):
		return env.Fail(NoSpace, Say{"The disk is full; nothing was changed", "ディスクがいっぱいです。何も変更していません"}).
			WithHint(Say{"Free some space and run it again", "空き容量を確保してから再実行してください"}.In(env.Lang))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return env.Fail(Forbidden, Say{"No permission for the store: %v", "ストアへのアクセス権がありません: %v"}, err).
			WithHint(Say{"Name a folder of yours: --store DIR", "自分のフォルダを指定してください: --store DIR"}.In(env.Lang))
	}
	return nil
}

// DidYouMean asks about the nearest right names, the first one of them first.
func (env *Env) DidYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := "'" + strings.Join(names, "', '") + "'"
	if env.Lang == Japanese {
		quoted = "「" + strings.Join(names, "」「") + "」"
	}
	return Say{"Did you mean %s?", "もしかして: %s"}.In(env.Lang, quoted)
}

// holder names the process that holds the store.
func holder(env *Env, busy *kv.BusyError) string {
	switch {
	case busy.PID == 0:
		return env.Say(Say{"It could not be found out which one", "どのプロセスかは分かりませんでした"})
	case busy.Command == "":
		return env.Say(Say{"pid %d", "pid %d"}, busy.PID)
	}
	return env.Say(Say{"pid %d: %s", "pid %d: %s"}, busy.PID, busy.Command)
}

// shortPath is a system's error without a path that fills the screen.
func shortPath(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) && len(path.Path) > 200 {
		return fmt.Sprintf("%s %s…: %v", path.Op, strings.ToValidUTF8(path.Path[:200], ""), path.Err)
	}
	return err.Error()
}
