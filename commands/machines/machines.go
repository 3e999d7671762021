// Package machines has the commands for one notebook on several machines.
package machines

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"techo/commands/line"
	"techo/commands/run"
	"techo/store/replica"
	"techo/tools"
)

// Machine is a machine in a result.
type Machine struct {
	Name   string `json:"name"`
	LastAt string `json:"last_at,omitempty"`
	Own    bool   `json:"own,omitempty"`
	Left   bool   `json:"left,omitempty"`

	ClockAhead int `json:"clock_ahead_days,omitempty"` // whole days; below 0 its clock is behind
}

// Waiting is a file in a result that was not applied.
type Waiting struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// initOut is the result of the command sync init.
type initOut struct {
	Place   string `json:"place"`
	Machine string `json:"machine"`
	Key     string `json:"key"`
	Message string `json:"message"`
}

// Text shows the key, which is shown nowhere else.
func (o initOut) Text(env *tools.Env) string {
	return o.Message + "\n\n" + env.Localize("Key, shown this once: %s", o.Key)
}

// placeIn is the input of the commands sync init and sync join.
type placeIn struct {
	Place string `json:"place" minLength:"1" doc:"The folder that a syncer, a stick, a share or git carries between the machines"`
	Name  string `json:"name,omitempty" maxLength:"40" doc:"The name of this machine in conflicts and in the history; without it the name that the system has"`
}

// joinOut is the result of the commands sync join and sync leave.
type joinOut struct {
	Place   string `json:"place"`
	Machine string `json:"machine"`
	Message string `json:"message"`
}

type syncOut struct {
	Place     string    `json:"place"`
	Sent      int       `json:"sent"`
	Received  int       `json:"received"`
	Conflicts int       `json:"conflicts"`
	Waiting   []Waiting `json:"waiting"`
	Machines  []Machine `json:"machines"`
	Message   string    `json:"message"`
}

type statusOut struct {
	Place     string    `json:"place"`
	LastAt    string    `json:"last_at"`
	Failed    string    `json:"failed,omitempty"`
	Conflicts int       `json:"conflicts"`
	Waiting   []Waiting `json:"waiting"`
	Machines  []Machine `json:"machines"`
	Message   string    `json:"message"`
}

// Commands returns the commands.
func Commands(s *run.Run) []*line.Command {
	return []*line.Command{initCommand(s), syncCommand(), statusCommand(), leaveCommand(), joinCommand(s)}
}

// ForPage returns the command that the page calls, by its name there. A store that is on one machine only
// has no machines, which is no error there.
func ForPage() map[string]*tools.Tool {
	return map[string]*tools.Tool{"sync_status": statusTool(func(error) error { return nil })}
}

func notebook(ctx context.Context, env *tools.Env, e tools.Effect) (n replica.Notebook, err error) {
	st, err := env.Store(ctx, e)
	if err != nil {
		return n, err
	}
	return replica.Notebook{Ledger: st.Ledger}, nil
}

func initCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "sync init",
		About:   "Begin one notebook on several machines, in a folder that anything carries",
		More: "Prints the key of the notebook, this once: the other machines join with it, and without it nobody " +
			"reads the files. Keep it where you keep passwords. techo sync then sends and receives. Memos, " +
			"memories, memory files and local calendars go to the other machines; settings, tokens, questions, " +
			"shared spaces and copies of calendars elsewhere stay.",
		For:    tools.Persons,
		Effect: tools.Changes,
		Words:  []string{"place"},
		Examples: []tools.Example{
			{Does: "Begin in a folder that a syncer carries", Line: "sync init ~/Sync/techo"},
		},
	}, func(ctx context.Context, env *tools.Env, in placeIn) (out initOut, err error) {
		n, err := notebook(ctx, env, tools.Changes)
		if err != nil {
			return out, err
		}
		place, err := placeOf(s, env, in)
		if err != nil {
			return out, err
		}
		out.Place, out.Machine = place, nameOf(in)
		if out.Key, _, err = n.Init(ctx, place, out.Machine); err != nil {
			return out, explain(env, err)
		}
		out.Message = env.Localize("The notebook is at %s. On the other machines: techo sync join PLACE, with the key; "+
			"then techo sync on each", place)
		return out, nil
	})}
}

func joinCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "sync join",
		About:   "Join the notebook of another machine",
		More: "Asks for the key at a terminal, otherwise reads it from stdin. What is in the store already stays, and " +
			"goes to the other machines with the next techo sync.",
		For:    tools.Persons,
		Effect: tools.Changes,
		Words:  []string{"place"},
		Examples: []tools.Example{
			{Does: "Join with the key in a file", Line: "sync join ~/Sync/techo < key"},
		},
	}, func(ctx context.Context, env *tools.Env, in placeIn) (out joinOut, err error) {
		n, err := notebook(ctx, env, tools.Changes)
		if err != nil {
			return out, err
		}
		place, err := placeOf(s, env, in)
		if err != nil {
			return out, err
		}
		key, err := typedKey(ctx, s, env)
		if err != nil {
			return out, err
		}
		out.Place, out.Machine = place, nameOf(in)
		if err := n.Join(ctx, place, key, out.Machine); err != nil {
			return out, explain(env, err)
		}
		out.Message = env.Localize("This machine is in the notebook as %s. Send and receive with techo sync", out.Machine)
		return out, nil
	})}
}

func syncCommand() *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "sync",
		About:   "Send what changed here to the other machines, and receive what changed there",
		More: "A file that is missing, incomplete, changed or foreign waits and is named; the others are applied. What " +
			"lost against a later change that had not seen it is kept: techo memory review lists it. In a git work tree " +
			"with a remote techo also pulls, commits its own files and pushes, and asks for no password.",
		For:      tools.Persons,
		Effect:   tools.Changes,
		World:    true,
		Examples: []tools.Example{{Does: "Send and receive once", Line: "sync"}},
	}, func(ctx context.Context, env *tools.Env, _ struct{}) (out syncOut, err error) {
		n, err := notebook(ctx, env, tools.Changes)
		if err != nil {
			return out, err
		}
		r, err := Sync(ctx, n, func(done int) { env.Step(int64(done), 0) })
		if err != nil {
			return out, explain(env, err)
		}
		out = syncOut{Place: r.Place, Sent: r.Sent, Received: r.Received, Conflicts: r.Conflicts,
			Waiting: waitingOf(env, r.Waiting), Machines: machinesOf(env, r.Machines)}
		out.Message = env.Localize("Sent: %d, received: %d", r.Sent, r.Received)
		if r.Conflicts > 0 {
			out.Message += env.Localize("; changed on two machines: %d, see techo memory review", r.Conflicts)
		}
		if len(r.Waiting) > 0 {
			out.Message += env.Localize("; files that wait: %d", len(r.Waiting))
		}
		return out, nil
	})}
}

// Text lists the machines and what waits.
func (o syncOut) Text(env *tools.Env) string {
	return strings.Join(append([]string{o.Message}, rows(env, o.Machines, o.Waiting)...), "\n")
}

// Text lists the machines and what waits.
func (o statusOut) Text(env *tools.Env) string {
	return strings.Join(append([]string{o.Message}, rows(env, o.Machines, o.Waiting)...), "\n")
}

func rows(env *tools.Env, machines []Machine, waiting []Waiting) (lines []string) {
	for _, m := range machines {
		text := "- " + m.Name
		if m.Own {
			text += env.Localize(" (this machine)")
		}
		if m.Left {
			text += env.Localize(" (left)")
		}
		if m.LastAt != "" {
			text += " " + env.MinuteOf(m.LastAt)
		}
		switch {
		case m.ClockAhead > 0:
			text += env.Localize("; its clock is ahead of this one by %s", env.Count(m.ClockAhead, "%d day", "%d days"))
		case m.ClockAhead < 0:
			text += env.Localize("; its clock is behind this one by %s", env.Count(-m.ClockAhead, "%d day", "%d days"))
		}
		lines = append(lines, text)
	}
	for _, w := range waiting {
		lines = append(lines, env.Localize("Waits: %s: %s", w.File, w.Why))
	}
	return lines
}

func statusCommand() *line.Command {
	return &line.Command{Tool: statusTool(func(err error) error { return err })}
}

// statusTool returns the tool behind the command and the page. alone says what it answers for a store that is
// on one machine only.
func statusTool(alone func(error) error) *tools.Tool {
	return tools.Define(tools.Tool{
		Command:  "sync status",
		About:    "Show the machines of the notebook, the last sync, and what waits",
		For:      tools.Persons,
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: "Show the machines", Line: "sync status"}},
	}, func(ctx context.Context, env *tools.Env, _ struct{}) (statusOut, error) {
		n, err := notebook(ctx, env, tools.Reads)
		if err != nil {
			return statusOut{}, err
		}
		out, err := status(ctx, env, n)
		if errors.Is(err, replica.ErrNotJoined) {
			return statusOut{Machines: []Machine{}, Waiting: []Waiting{}}, alone(explain(env, err))
		}
		return out, explain(env, err)
	})
}

func status(ctx context.Context, env *tools.Env, n replica.Notebook) (out statusOut, err error) {
	r, err := n.Status(ctx)
	if err != nil {
		return out, err
	}
	last, err := n.LastTries(ctx)
	if err != nil {
		return out, err
	}
	lost, _, err := n.Conflicts(ctx)
	if err != nil {
		return out, err
	}
	out = statusOut{Place: r.Place, Conflicts: len(lost), Waiting: waitingOf(env, r.Waiting),
		Machines: machinesOf(env, r.Machines)}
	switch {
	case last.Synced.IsZero():
		out.Message = env.Localize("Not synced yet: techo sync")
	default:
		out.LastAt = env.Time(last.Synced)
		out.Message = env.Localize("Last synced: %s", env.Minute(last.Synced))
	}
	if len(lost) > 0 {
		out.Message += env.Localize("; changed on two machines: %d, see techo memory review", len(lost))
	}
	if last.Failed != nil {
		out.Failed = tools.AsError(env, explain(env, last.Failed)).Message
		if errors.Is(last.Failed, context.DeadlineExceeded) {
			out.Failed = env.Localize("there was too little time")
		}
		out.Message += env.Localize("; a later try failed: %s", out.Failed)
	}
	return out, nil
}

func leaveCommand() *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "sync leave",
		About:   "Take this machine out of the notebook",
		More: "Sends what changed here a last time. The records stay on this machine, and the files that it wrote stay for " +
			"the others.",
		For:      tools.Persons,
		Effect:   tools.Changes,
		Examples: []tools.Example{{Does: "Leave", Line: "sync leave"}},
	}, func(ctx context.Context, env *tools.Env, _ struct{}) (out joinOut, err error) {
		n, err := notebook(ctx, env, tools.Changes)
		if err != nil {
			return out, err
		}
		r, err := n.Status(ctx)
		if err != nil {
			return out, explain(env, err)
		}
		out.Place, out.Machine = r.Place, r.Machines[0].Name
		if err := n.Leave(ctx); err != nil {
			return out, explain(env, err)
		}
		out.Message = env.Localize("%s has left the notebook at %s", out.Machine, out.Place)
		return out, nil
	})}
}

func waitingOf(env *tools.Env, all []replica.Waiting) []Waiting {
	out := []Waiting{}
	for _, w := range all {
		out = append(out, Waiting{w.File, why(env, w.Why)})
	}
	return out
}

// why explains why a file or a record waits.
func why(env *tools.Env, err error) string {
	if place := new(replica.PlaceError); errors.As(err, &place) {
		return env.Localize("the place cannot be used: %s", env.Lang.Cause(place.Err))
	}
	bad := new(replica.BadSegmentError)
	if !errors.As(err, &bad) {
		return env.Localize("it cannot be shown on this machine: %s", env.Lang.Cause(err))
	}
	switch bad.Fault {
	case replica.CutOff:
		return env.Localize("it is not complete yet")
	case replica.Newer:
		return env.Localize("a newer techo wrote it")
	case replica.Misplaced:
		return env.Localize("it is a copy of another file")
	case replica.Replaced:
		return env.Localize("it does not follow the file before: one of the two was replaced by an older one")
	case replica.NotArrived:
		return env.Localize("it has not arrived, and later ones have")
	case replica.ForeignName:
		return env.Localize("another program made it")
	case replica.Irregular:
		return env.Localize("it is no file, or it is too large")
	case replica.Pending:
		return env.Localize("techo sync has not applied it yet")
	}
	return env.Localize("it is not complete, was changed, or was written with another key")
}

func machinesOf(env *tools.Env, all []replica.Machine) []Machine {
	out := []Machine{}
	for _, m := range all {
		one := Machine{Name: m.Name, Own: m.Own, Left: m.Left, ClockAhead: int(m.Ahead / (24 * time.Hour))}
		if !m.LastAt.IsZero() {
			one.LastAt = env.Time(m.LastAt)
		}
		out = append(out, one)
	}
	return out
}

// placeOf returns the absolute path of a place.
func placeOf(s *run.Run, env *tools.Env, in placeIn) (string, error) {
	place := s.System.Path(in.Place)
	info, err := os.Stat(place)
	if err != nil || !info.IsDir() {
		return "", env.Fail(tools.NotFound, "There is no folder %s", place).
			WithHint(env.Hint("Make it first: mkdir -p %s", place))
	}
	return place, nil
}

func nameOf(in placeIn) string {
	if name := strings.TrimSpace(in.Name); name != "" {
		return name
	}
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "machine"
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

// typedKey returns the key of the notebook, from a terminal or from stdin.
func typedKey(ctx context.Context, s *run.Run, env *tools.Env) (string, error) {
	return s.ReadSecret(ctx, env, run.SecretPrompt{
		Label: env.Localize("Key (not shown): "),
		None:  "No key was entered",
		Piped: env.Fail(tools.InvalidInput, "The key is read from stdin").
			WithHint(env.Hint("%s < FILE", tools.Use("sync join", tools.Placeholder("PLACE")))),
	})
}

// explain converts errors of package replica.
func explain(env *tools.Env, err error) error {
	var (
		place *replica.PlaceError
		bad   *replica.BadSegmentError
		git   *replica.CarrierError
	)
	switch {
	case errors.Is(err, replica.ErrNotJoined):
		return env.Fail(tools.Unavailable, "The store is on this machine only").
			WithHint(env.Hint("Begin a notebook on several machines with %s, or join one with %s",
				tools.Use("sync init", tools.Placeholder("PLACE")), tools.Use("sync join", tools.Placeholder("PLACE"))))
	case errors.Is(err, replica.ErrJoined):
		return env.Fail(tools.AlreadyExists, "The store is in a notebook already").
			WithHint(env.Hint("See %s; %s takes it out", tools.Use("sync status"), tools.Use("sync leave")))
	case errors.Is(err, replica.ErrTaken):
		return env.Fail(tools.AlreadyExists, "The place has a notebook already").
			WithHint(env.Hint("Join it with %s, or name another folder", tools.Use("sync join", tools.Placeholder("PLACE"))))
	case errors.Is(err, replica.ErrNoNotebook):
		return env.Fail(tools.NotFound, "The place has no notebook").
			WithHint(env.Hint("Wait until the syncer has brought techo.json, or begin one with %s",
				tools.Use("sync init", tools.Placeholder("PLACE"))))
	case errors.Is(err, replica.ErrWrongKey):
		return env.Fail(tools.Unavailable, "The key does not belong to the notebook at this place").
			WithHint(env.Hint("Give the key that %s printed; it begins with AGE-SECRET-KEY-1", tools.Use("sync init")))
	case errors.As(err, &git):
		e := env.Fail(tools.Upstream, "%s failed: %s", git.Program, git.Why)
		if git.Why == "" {
			e = env.Fail(tools.Upstream, "%s did not answer in time", git.Program)
		}
		e.Retryable = true
		return e.WithHint(env.Hint("The notebook is up to date with the files that are here; repeat when the remote can be reached"))
	case errors.As(err, &bad):
		return env.Fail(tools.Upstream, "The place cannot be used: techo.json: %s", why(env, bad))
	case errors.Is(err, replica.ErrOther) && errors.As(err, &place):
		return env.Fail(tools.Upstream, "The folder %s has another notebook now", place.Place).
			WithHint(env.Hint("Bring back the folder that was there; or %s, and join the new one", tools.Use("sync leave")))
	case errors.As(err, &place):
		e := env.Fail(tools.Upstream, "The place %s cannot be used: %s", place.Place, env.Lang.Cause(place.Err)).
			WithHint(env.Hint("Attach or mount it, and repeat %s", tools.Use("sync")))
		e.Retryable = true
		return e
	}
	return err
}

const (
	// autoEvery is the least time between two syncs that nobody asked for.
	autoEvery = time.Minute

	// autoTime limits such a sync of a command, whose caller waits for its end.
	autoTime = 10 * time.Second
)

// After syncs the notebook after the answer of a command that has written, or that begins the session
// of an agent, if the setting sync is auto. A failure is shown by sync status.
func After(ctx context.Context, s *run.Run) {
	path := s.Given.Path
	if !s.Options.Sync || ctx.Err() != nil || len(path) > 0 && path[0] == "sync" || s.Resources.Writer() == nil && !s.Begins {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, autoTime)
	defer cancel()
	auto(ctx, s)
}

// Keep syncs the notebook of a server while it runs, if the setting sync is auto.
func Keep(ctx context.Context, s *run.Run) {
	if !s.Options.Sync {
		return
	}
	for tick := time.NewTicker(autoEvery); ; {
		auto(ctx, s)
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}

// auto syncs unless there is no notebook, or the last try is a moment ago. sync status shows why it failed.
func auto(ctx context.Context, s *run.Run) {
	reader, err := s.Open(ctx, false)
	if err != nil {
		return
	}
	if place, err := (replica.Notebook{Ledger: reader.Ledger}).Place(ctx); err != nil || place == "" {
		return
	}
	st, err := s.Open(ctx, true)
	if err != nil {
		return
	}
	n := replica.Notebook{Ledger: st.Ledger}
	if first, err := n.Begin(ctx, autoEvery); err == nil && first {
		_, _ = Sync(ctx, n, nil)
	}
}
