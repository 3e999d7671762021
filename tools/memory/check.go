package memory

import (
	"context"
	"errors"
	"strings"
	"time"

	"techo/export"
	"techo/store/memory"
	"techo/tools"
)

// Check reads the files of sources again.
var Check = &tools.Tool{
	Name:    "check_memory",
	For:     tools.Agents,
	Command: "memory check",
	About:   "Read again the files that memories come from",
	More: "changed lists the memories whose file, or its lines, has changed since they were kept, " +
		"gone those whose file is gone: read these again, then edit, confirm or remove them.",
	Details: "Only files that the caller may read are checked; never the network.",
	Effect:  tools.Reads,
	Sharing: tools.OneSpace,
	Examples: []tools.Example{
		{Does: "Find memories to doubt", Line: `memory check`},
	},
	Run: tools.Func[CheckIn, CheckedOut](checkMemory),
}

// CheckIn is the input of check_memory.
type CheckIn struct {
	Limit int `json:"limit" default:"1000" minimum:"1" maximum:"100000" doc:"How many memories with a file to check" list:"bare"`
}

// CheckedOut is the result of check_memory.
type CheckedOut struct {
	Checked int      `json:"checked"`
	Changed []string `json:"changed"`
	Gone    []string `json:"gone"`
	Message string   `json:"message"`

	lines []string
}

// Text shows a line for each memory to doubt.
func (o CheckedOut) Text(*tools.Env) string {
	return strings.Join(append([]string{o.Message}, o.lines...), "\n")
}

// errEnough ends a check at its limit.
var errEnough = errors.New("enough")

func checkMemory(ctx context.Context, env *tools.Env, in CheckIn) (out CheckedOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	out = CheckedOut{Changed: []string{}, Gone: []string{}}
	err = st.EachMemory(ctx, tools.Owner(env), time.Time{}, func(m memory.Memory) error {
		if out.Checked == in.Limit {
			return errEnough
		}
		line := "- [" + m.ID + "] " + export.OneLine(m.Caption)
		switch sourceState(ctx, env, m.Source) {
		case sourceUnknown:
			return nil
		case sourceChanged:
			out.Changed = append(out.Changed, m.ID)
			out.lines = append(out.lines, line+" ("+env.Localize("Its source has changed: %s", m.Source.Text)+")")
		case sourceGone:
			out.Gone = append(out.Gone, m.ID)
			out.lines = append(out.lines, line+" ("+env.Localize("Its source is gone: %s", m.Source.Text)+")")
		}
		out.Checked++
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return out, Explain(env, err)
	}
	out.Message = env.Localize("Sources checked: %d; changed: %d; gone: %d", out.Checked, len(out.Changed),
		len(out.Gone))
	return out, nil
}
