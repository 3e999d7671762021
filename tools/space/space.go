// Package space is the family of tools for shared spaces and their members.
package space

import (
	"errors"
	"strings"

	"techo/store/ledger"
	"techo/store/space"
	"techo/tools"
)

// Tools returns the family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Create, List, Members, Grant, Invite, Accept, Decline, Revoke, Remove}
}

// ListName is the name of the tool that lists the spaces.
const ListName = "list_spaces"

// Space is a shared space in the results of this family.
type Space struct {
	Name      string   `json:"name"`
	Role      string   `json:"role"` // of the user; "" for the owner of the store, who may be no member
	CreatedAt string   `json:"created_at"`
	Members   []Member `json:"members"`
	Invited   []Member `json:"invited,omitempty"` // who have not accepted yet
}

// Member is a member of a space.
type Member struct {
	User string `json:"user"`
	Role string `json:"role"`
}

func spaceOf(env *tools.Env, sp space.Shared) Space {
	out := Space{sp.Name, sp.Role.String(), env.Time(sp.CreatedAt), []Member{}, nil}
	for _, m := range sp.Members {
		out.Members = append(out.Members, Member{m.User, m.Role.String()})
	}
	for _, m := range sp.Invited {
		out.Invited = append(out.Invited, Member{m.User, m.Role.String()})
	}
	return out
}

// lines describes the members, one in each line.
func (s Space) lines(env *tools.Env) string {
	var lines []string
	for _, m := range s.Members {
		lines = append(lines, env.Localize("- %s: %s", m.User, m.Role))
	}
	for _, m := range s.Invited {
		lines = append(lines, env.Localize("- %s: %s (invited)", m.User, m.Role))
	}
	return strings.Join(lines, "\n")
}

// ChangedOut is the result of a change of a space.
type ChangedOut struct {
	Space   Space  `json:"space"`
	Invited bool   `json:"invited,omitempty"` // the user has to accept
	Message string `json:"message"`
}

// explain converts the errors about the members of a space.
func explain(env *tools.Env, place string, err error) error {
	var (
		missing *ledger.NotFoundError
		user    *ledger.UserNameError
		member  *space.MemberError
	)
	switch {
	case errors.As(err, &member):
		return env.Fail(tools.AlreadyExists, "You are already a member of %s", member.Space).
			WithHint(env.Hint("%s leaves a space", tools.Use("space revoke")))
	case errors.As(err, &missing) && missing.Kind == ledger.KindUser:
		return env.Fail(tools.NotFound, "%s is not a member of %s", missing.Name, place).
			WithHint(env.Hint("See %s", tools.Use("space members", place)))
	case errors.As(err, &user):
		return env.Fail(tools.InvalidInput, "The name of a user must be 1 to %d bytes of UTF-8", user.MaxBytes)
	}
	return err
}
