package history

import (
	"context"
	"strings"

	"techo/store/history"
	"techo/tools"
)

// ShowIn is the input of show_change.
type ShowIn struct {
	ID     string `json:"id" minLength:"1" maxLength:"40" doc:"Id of the change" record:"change"`
	Offset int    `json:"offset" default:"0" minimum:"0" doc:"How many to skip, for paging" list:"bare"`
	Limit  int    `json:"limit" default:"100" minimum:"1" maximum:"1000" doc:"How many to list" list:"bare"`
}

// ShowOut is the result of show_change.
type ShowOut struct {
	Change  Change `json:"change"`
	Before  string `json:"before"` // text of the records before the change
	After   string `json:"after"`
	Diff    string `json:"diff"`
	Left    int    `json:"left,omitempty"` // records behind those that are shown
	Message string `json:"message"`
}

func (f Families) show() *tools.Tool {
	return tools.Define(tools.Tool{
		Name:    "show_change",
		For:     tools.Hosts,
		Command: "history show",
		About:   "Show what a change did",
		More:    "The records before and after the change, and the difference.",
		Effect:  tools.Reads,
		Sharing: tools.OneSpace,
		Words:   []string{"id"},
		Examples: []tools.Example{
			{Does: "Show a change", Line: "history show h1"},
		},
	}, f.showChange)
}

func (f Families) showChange(ctx context.Context, env *tools.Env, in ShowIn) (out ShowOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	filter := f.filter(env)
	filter.Offset, filter.Limit = in.Offset, in.Limit
	c, err := history.Of(st.Ledger).Show(ctx, in.ID, filter)
	if err != nil {
		return out, explain(env, err)
	}
	at, err := placesOf(ctx, env, st, c.Change)
	if err != nil {
		return out, err
	}
	out.Change = at.change(c.Change, c.Title)
	out.Message = env.Localize("Change %s", out.Change.ID)
	if out.Change.Family == "files" {
		out.Diff, err = f.Files.Show(ctx, env, st, c.Change)
		if err != nil {
			out.Message = env.Localize("The files changed after %s: its difference is not known", out.Change.ID)
		}
		return out, nil
	}
	var before, after, diff strings.Builder
	unknown := false
	for _, r := range c.Records {
		unknown = unknown || r.Unknown
		before.WriteString(r.Before)
		after.WriteString(r.After)
		if !r.Unknown {
			diff.WriteString(f.Files.Diff(string(r.Kind)+" "+r.ID, r.Before, r.After))
		}
	}
	out.Before, out.After, out.Diff, out.Left = before.String(), after.String(), diff.String(), c.Left
	if unknown {
		out.Message = env.Localize("Change %s; some of its values were not kept", out.Change.ID)
	}
	if out.Left > 0 {
		out.Message += env.Localize("; … and %d more, see --offset", out.Left)
	}
	return out, nil
}

// Text shows the change and its difference.
func (o ShowOut) Text(env *tools.Env) string {
	return strings.TrimSuffix(strings.Join([]string{o.Message, o.Change.line(env), o.Diff}, "\n"), "\n")
}
