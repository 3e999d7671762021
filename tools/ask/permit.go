package ask

import (
	"context"
	"slices"

	"techo/internal/lineage"
	"techo/store/question"
	"techo/tools"
	"techo/tools/person"
)

// The channels of an answer besides the tools.Channels.
const (
	byCommand = "command"
	byPage    = "page"
	byDialog  = "elicitation" // of the MCP client
)

// What shows that the person answered, from the weakest: nothing, the place, the dialog of
// the client, the secret.
const (
	isPlace  = "terminal"
	isClient = "client"
	isSecret = "secret"
)

// isWeaker reports whether an assurance is weaker than another one.
func isWeaker(a, b string) bool {
	order := []string{"", isPlace, isClient, isSecret}
	return slices.Index(order, a) < slices.Index(order, b)
}

// permission is what an answer is worth.
type permission struct {
	assurance string
	secret    bool // the person has to enter the secret first
}

// permit returns what an answer to a question by a channel is worth, or an error if it does not
// count. It decides for all commands and interfaces; package lineage has the table of places.
func permit(env *tools.Env, q question.Question, via string) (p permission, err error) {
	switch {
	case via == byDialog && (q.Client == "" || q.Client != env.Caller.Client):
		return p, env.Fail(tools.Forbidden, "%s was asked by another client, whose dialog this is not", q.ID).
			WithHint(ways(env))
	case via == byDialog:
		p.assurance = isClient
		return p, p.check(env, q)
	case (via == byCommand || via == string(person.OnStdin)) && !env.Caller.Answers:
		return p, env.Fail(tools.Forbidden, "Commands may not answer questions here").
			WithHint(env.Hint("Run techo ask watch to answer at a terminal. To let commands in your terminals " +
				"answer: techo config set answer command (a variable of the environment does not count)"))
	}
	set, err := person.HasSecret(env)
	if err != nil {
		return p, err
	}
	verdict, why := lineage.Judge(q.Asker, person.TreeOf(env))
	switch {
	case verdict == lineage.Askers:
		return p, env.Fail(tools.Forbidden, "%s cannot be answered from here: this may be the session or process "+
			"tree that asked", q.ID).WithHint(env.Hint("Answer in another terminal: techo ask watch"))
	case set:
		p = permission{isSecret, !env.Caller.Secret}
	case verdict == lineage.Persons:
		p.assurance = isPlace
	default:
		return p, env.Fail(tools.Forbidden, "%s cannot be answered from here, because nothing shows that this place "+
			"is yours: %s", q.ID, env.Localize(person.PlaceReason(why))).WithHint(ways(env))
	}
	return p, p.check(env, q)
}

// ways names the ways to answer that are left.
func ways(env *tools.Env) string {
	return env.Hint("Answer in a login, window or tmux pane that was open before the question, or in the dialog of " +
		"the MCP client; or set a secret, which counts at other terminals and on the page: techo ask secret set")
}

// check returns an error if the question needs a stronger answer.
func (p permission) check(env *tools.Env, q question.Question) error {
	if !isWeaker(p.assurance, q.Assurance) {
		return nil
	}
	e := env.Fail(tools.Forbidden, "%s needs an answer with your secret", q.ID).
		WithHint(env.Hint("Set one: techo ask secret set"))
	if q.Assurance == isClient {
		e = env.Fail(tools.Forbidden, "%s needs an answer in the dialog of the MCP client, or with your secret", q.ID).
			WithHint(e.Hint)
	}
	return e
}

// permitOwn returns what an answer in the terminal of the asker itself is worth. ok is false if
// the question must not be asked there: a terminal that a program opened could record the
// secret, and no other call's question is asked where nothing is known.
func permitOwn(env *tools.Env, term person.Terminal, q question.Question, isNew bool) (p permission, ok bool,
	err error) {
	if person.SecretUnknown(env) { // no assurance
		return p, isNew && q.Assurance == "", nil
	}
	set, err := person.HasSecret(env)
	if err != nil {
		return p, false, err
	}
	_, isOwn := person.OwnPlace(env)
	switch {
	case set && isOwn && term.Controls():
		p, ok = permission{isSecret, true}, true
	case set:
	case lineage.Own(person.TreeOf(env)) == lineage.Evident && term.Controls():
		p.assurance, ok = isPlace, true
	default:
		ok = isNew
	}
	return p, ok && !isWeaker(p.assurance, q.Assurance), nil
}

// permitVouched is permit for a channel at which this call cannot ask for the secret.
func permitVouched(env *tools.Env, q question.Question, via string) (permission, error) {
	p, err := permit(env, q, via)
	if err == nil && p.secret {
		e := env.Fail(tools.Unavailable, "Enter your secret first")
		e.Details = []tools.Detail{{Path: "/secret", Message: env.Localize("is required")}}
		return p, e
	}
	return p, err
}

// PermitUndo returns an error unless the caller may undo a change of a question:
// an answer may be taken back only by those who may give one.
func PermitUndo(ctx context.Context, env *tools.Env, q question.Question) error {
	if q.Status == question.Pending {
		return nil
	}
	if env.Caller.Vouched != "" {
		_, err := permitVouched(env, q, env.Caller.Vouched)
		return err
	}
	p, err := permit(env, q, byCommand)
	if err == nil && p.secret {
		return enterSecret(ctx, env)
	}
	return err
}
