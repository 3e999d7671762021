package ask

import (
	"techo/internal/lineage"
	"techo/store"
	"techo/tools"
)

// byCommand is the channel of an answer by a command or a tool call.
const byCommand = "command"

// tree returns the caller's process tree.
func tree(env *tools.Env) lineage.Tree {
	if env.Caller.Tree == nil {
		return lineage.Tree{}
	}
	return env.Caller.Tree()
}

// permitCommand returns an error unless a command may answer a question: the
// person must have enabled it, and the caller must be in another process tree than
// the process that asked.
func permitCommand(env *tools.Env, q store.Question) error {
	if !env.Caller.Answers {
		return env.Fail(tools.Forbidden, "Commands may not answer questions here").
			WithHint(env.Hint("Run techo ask watch to answer at a terminal, or set TECHO_ANSWER=command in " +
				"your own environment to let commands answer"))
	}
	if !lineage.Apart(q.Asker, tree(env)) {
		return sameTree(env, q)
	}
	return nil
}

// permitTerminal returns an error if the terminal belongs to the process tree that
// asked the question. If the trees are unknown, any terminal is accepted.
func permitTerminal(env *tools.Env, q store.Question) error {
	if own := tree(env); q.Asker.Known() && own.Known() && lineage.Related(q.Asker, own) {
		return sameTree(env, q)
	}
	return nil
}

// viaPage is the channel of an answer in a session of the page.
const viaPage = "page"

// permitVouched returns an error if an interface that vouches for the person may not
// answer a question: an agent could start the page itself, so the process that serves it must be
// in another process tree than the one that asked, as far as both are known.
func permitVouched(env *tools.Env, q store.Question) error {
	if own := tree(env); env.Caller.Vouched == viaPage && q.Asker.Known() && own.Known() &&
		!lineage.Apart(q.Asker, own) {
		return env.Fail(tools.Forbidden, "%s cannot be answered here: the session or process tree that asked may "+
			"have started this page", q.ID).
			WithHint(env.Hint("Run techo page in another terminal, or answer with techo ask watch"))
	}
	return nil
}

// sameTree returns the error for an answer from the process tree that asked.
func sameTree(env *tools.Env, q store.Question) error {
	return env.Fail(tools.Forbidden,
		"%s cannot be answered from here: this may be the session or process tree that asked",
		q.ID).WithHint(env.Hint("Answer in another terminal: techo ask watch"))
}

// PermitUndo returns an error unless the caller may undo a change of a question:
// an answer may be taken back only by those who may give one.
func PermitUndo(env *tools.Env, q store.Question) error {
	switch {
	case q.Status == store.Pending:
		return nil
	case env.Caller.Vouched != "":
		return permitVouched(env, q)
	}
	return permitCommand(env, q)
}
