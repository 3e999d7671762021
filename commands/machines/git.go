package machines

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"techo/store/replica"
)

// gitTime limits one command of git.
const gitTime = 2 * time.Minute

// pushTries is how often files are pushed while others push too.
const pushTries = 5

// Sync syncs the notebook. If its place is in a git work tree with a remote, it pulls before, and
// commits and pushes the files of the notebook afterwards. Without the remote what is here is synced
// all the same, before a [replica.CarrierError].
func Sync(ctx context.Context, n replica.Notebook, progress func(done int)) (r replica.Report, err error) {
	place, err := n.Place(ctx)
	if err != nil {
		return r, err
	}
	if place == "" || !inGit(ctx, place) {
		return n.Sync(ctx, progress)
	}
	for try := 1; ; try++ {
		pulled := pull(ctx, place)
		if pulled != nil && isEmptyRemote(ctx, place) {
			pulled = nil
		}
		once, err := n.Sync(ctx, progress)
		r.Place, r.Waiting, r.Machines = once.Place, once.Waiting, once.Machines
		r.Sent, r.Received, r.Conflicts = r.Sent+once.Sent, r.Received+once.Received, r.Conflicts+once.Conflicts
		if err != nil {
			return r, err
		}
		if err := commit(ctx, place); err != nil {
			return r, err
		}
		if pulled != nil {
			return r, errors.Join(pulled, n.NoteFailure(ctx, pulled))
		}
		pushed := git(ctx, place, "push", "--quiet", "--set-upstream", remoteOf(ctx, place), "HEAD")
		if pushed == nil || try == pushTries || ctx.Err() != nil {
			if pushed != nil {
				pushed = errors.Join(pushed, n.NoteFailure(ctx, pushed))
			}
			return r, pushed
		}
	}
}

// pull gets what others pushed. Commits that were not pushed go on top of it; if that fails, the work tree is as
// it was.
func pull(ctx context.Context, place string) error {
	before := rebasing(ctx, place) // by the person
	err := git(ctx, place, append(identity(ctx, place), "pull", "--quiet", "--rebase", "--autostash")...)
	if err != nil && !before && rebasing(context.WithoutCancel(ctx), place) {
		err = errors.Join(err, git(context.WithoutCancel(ctx), place, "rebase", "--abort"))
	}
	return err
}

// rebasing reports whether a rebase is not finished.
func rebasing(ctx context.Context, place string) bool {
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		out, err := gitOutput(ctx, place, "rev-parse", "--git-path", name)
		path := strings.TrimSpace(out)
		if !filepath.IsAbs(path) {
			path = filepath.Join(place, path)
		}
		if _, missing := os.Lstat(path); err == nil && missing == nil {
			return true
		}
	}
	return false
}

// identity returns arguments for an author of commits where the person has none, and against their hooks and keys.
func identity(ctx context.Context, place string) []string {
	args := []string{"-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null"}
	if _, err := gitOutput(ctx, place, "config", "user.email"); err != nil {
		args = append(args, "-c", "user.name=techo", "-c", "user.email=techo@localhost")
	}
	return args
}

// inGit reports whether a place is in a git work tree with a remote.
func inGit(ctx context.Context, place string) bool {
	return git(ctx, place, "rev-parse", "--is-inside-work-tree") == nil && remoteOf(ctx, place) != ""
}

// remoteOf returns the remote of the branch, or the first one, "" without any.
func remoteOf(ctx context.Context, place string) string {
	if out, err := gitOutput(ctx, place, "rev-parse", "--abbrev-ref", "@{upstream}"); err == nil {
		remote, _, _ := strings.Cut(strings.TrimSpace(out), "/")
		return remote
	}
	out, _ := gitOutput(ctx, place, "remote") // an error means none
	remote, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return remote
}

// isEmptyRemote reports whether the remote can be reached and lacks the branch.
func isEmptyRemote(ctx context.Context, place string) bool {
	branch, err := gitOutput(ctx, place, "symbolic-ref", "--short", "HEAD")
	if err != nil {
		return false
	}
	out, err := gitOutput(ctx, place, "ls-remote", "--heads", remoteOf(ctx, place), strings.TrimSpace(branch))
	return err == nil && strings.TrimSpace(out) == ""
}

func commit(ctx context.Context, place string) error {
	if err := git(ctx, place, "add", "--all", "--", "."); err != nil {
		return err
	}
	if git(ctx, place, "diff", "--cached", "--quiet", "--", ".") == nil {
		return nil
	}
	return git(ctx, place, append(identity(ctx, place), "commit", "--quiet", "--message", "techo sync", "--", ".")...)
}

func git(ctx context.Context, place string, args ...string) error {
	_, err := gitOutput(ctx, place, args...)
	return err
}

// gitOutput runs git, which asks for nothing.
func gitOutput(ctx context.Context, place string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", place}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "LC_ALL=C",
		"GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	why := strings.TrimSpace(fault.String())
	if first, _, more := strings.Cut(why, "\n"); more {
		why = first
	}
	if why == "" {
		why = err.Error()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		why = ""
	}
	return "", &replica.CarrierError{Program: "git", Why: why}
}
