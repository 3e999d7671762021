package stores

import (
	"context"
	"slices"
	"strings"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/system"
	"techo/store"
	"techo/store/kv/rescue"
	"techo/store/ledger"
	"techo/tools"
)

type doctorIn struct {
	Repair bool `json:"repair,omitempty" doc:"Replace a damaged store by the rescued copy; the old one is kept"`
}

type doctorOut struct {
	OK       bool           `json:"ok"`       // the store is now sound
	Repaired bool           `json:"repaired"` // a rescued copy replaced the store
	Complete bool           `json:"complete"` // no known record is lost or out of date
	Findings []tools.Detail `json:"findings"`
	doctorChanges
	Kept    map[string]int `json:"kept"`
	Records int            `json:"records"`
	Future  int            `json:"in_future,omitempty"` // records written later than now, by a wrong clock
	Aside   string         `json:"aside,omitempty"`
	Message string         `json:"message"`
}

// Text writes a line for each finding and each changed record.
func (o doctorOut) Text(env *tools.Env) string {
	lines := append([]string{o.Message}, run.DetailLines(append(slices.Clip(o.Findings), o.details(env)...))...)
	if o.Aside != "" {
		lines = append(lines, env.Localize("The damaged store is kept at %s", o.Aside))
	}
	return strings.Join(lines, "\n")
}

// doctorCommand checks the store and rescues the readable records of a damaged
// one.
func doctorCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "doctor",
		Aliases: []string{"store doctor"},
		About:   "Check the store thoroughly, and rescue a damaged one",
		More: "Without --repair nothing changes: doctor copies everything readable out of a damaged store, " +
			"checks the copy, lists each record that is lost, rolled back to an older version, or back " +
			"although it was deleted (error corrupt, exit 1), and removes the copy. With --repair the copy " +
			"replaces the store, and the damaged store is kept next to it; complete is true only if nothing " +
			"was lost. Records that a wrong clock has dated later than now are counted. A store without any " +
			"readable record is not replaced. Other calls wait meanwhile. If " +
			"there is a backup, prefer techo store restore. Of a server (--store https://HOST) it checks the " +
			"connection, the token, the version and whether the server can read its store.",
		Effect: tools.Changes,
		Examples: []tools.Example{
			{Does: "Check the store", Line: "doctor"},
			{Does: "Repair a damaged store", Line: "doctor --repair"},
		},
	}, func(ctx context.Context, env *tools.Env, in doctorIn) (out doctorOut, err error) {
		if address, err := s.ServerAddress(); err != nil || address != "" {
			return examineServer(ctx, s, env, address, err)
		}
		where, err := s.StorePath()
		if err != nil {
			return out, err
		}
		if err := checkNamed(s, env); err != nil {
			return out, err
		}
		d, err := store.Doctor(ctx, where, store.DoctorOptions{
			Options: store.Options{Holder: s.Name(), Now: s.Options.Clock}, Repair: in.Repair, Progress: env.Progress,
		})
		if err != nil {
			return out, err
		}
		out = doctorOut{
			OK: d.Sound || d.Repaired, Repaired: d.Repaired, Aside: d.Aside, Complete: d.Complete(),
			Findings: findings(env, d), doctorChanges: changesOf(d), Kept: d.Report.Counts, Records: d.Report.Records,
			Future: d.Report.Future,
		}
		switch {
		case d.Empty:
			return out, unreadableStore(env, d, out)
		case d.Sound:
			out.Message = env.Localize("The store is sound: %s", env.Count(out.Records, "%d record", "%d records"))
		case d.Repaired:
			out.Message = env.Localize("The store was repaired: %s kept; problems: %d",
				env.Count(out.Records, "%d record", "%d records"), len(out.Findings))
		default:
			return out, damaged(env, d, out)
		}
		if out.Future > 0 {
			out.Message += env.Localize("; %s with a time in the future: a clock was wrong, then or now. The next "+
				"change of such a record dates it anew", env.Count(out.Future, "%d record", "%d records"))
		}
		return out, nil
	})}
}

func damaged(env *tools.Env, d store.Diagnosis, out doctorOut) error {
	e := env.Fail(tools.Corrupt, "The store is damaged: %s", env.DamageText(d.Damage))
	e.Details = append(out.Findings, out.details(env)...)
	return e.WithHint(env.Hint("Nothing was changed. %s would rescue %s and keep the damaged store next to "+
		"it; %s restores a backup",
		tools.Use("doctor", tools.Flag("repair")), env.Count(out.Records, "%d record", "%d records"), tools.Use("store restore", tools.Placeholder("FILE"))))
}

// unreadableStore is the error for a store without any readable record.
func unreadableStore(env *tools.Env, d store.Diagnosis, out doctorOut) error {
	e := env.Fail(tools.Corrupt,
		"The store is damaged and no record can be read, so it was not replaced: %s",
		env.DamageText(d.Damage))
	e.Details = append(out.Findings, out.details(env)...)
	return e.WithHint(env.Hint("Nothing was changed. %s restores a backup; to start anew, move the folder away",
		tools.Use("store restore", tools.Placeholder("FILE"), tools.Flag("force"))))
}

// findings lists the damage and its consequences.
func findings(env *tools.Env, d store.Diagnosis) []tools.Detail {
	list := []tools.Detail{}
	for _, f := range d.Findings {
		list = append(list, tools.Detail{Path: f.Path, Message: env.ReasonText(f.Reason)})
	}
	for _, r := range d.Repairs {
		list = append(list, tools.Detail{Path: placed(r.Space, r.Record), Message: repairText(env, r)})
	}
	if more := len(list) - maxChanges; more > 0 {
		list = append(list[:maxChanges],
			tools.Detail{Message: env.Localize("%s left out",
				env.Count(more, "%d more finding is", "%d more findings are"))})
	}
	return list
}

// repairText describes a change to a rescued record.
func repairText(env *tools.Env, r ledger.Repair) string {
	switch r.Action {
	case ledger.Renamed:
		return env.Localize("is renamed to %s, because its name is in use", r.NewName)
	case ledger.Untagged:
		return env.Localize("loses its tags: %s", env.DamageText(r.Reason))
	}
	return env.Localize("is left out: %s", env.DamageText(r.Reason))
}

// maxChanges is the maximum number of findings, and of changed records, in an
// answer.
const maxChanges = 100

// doctorChanges are the records whose last version could not be rescued.
type doctorChanges struct {
	Lost        int            `json:"lost"`
	RolledBack  int            `json:"rolled_back"`
	Resurrected int            `json:"resurrected"`
	Changes     []doctorChange `json:"changes"`
	LeftOut     int            `json:"changes_left_out,omitempty"` // not listed in Changes
	Unnamed     int            `json:"unnamed,omitempty"`          // damaged places with unknown records
}

type doctorChange struct {
	Kind    ledger.Kind  `json:"kind"`
	ID      string       `json:"id,omitempty"`
	Space   string       `json:"space,omitempty"` // the shared space that it is in
	Name    string       `json:"name,omitempty"`
	State   rescue.State `json:"state"`
	Certain bool         `json:"certain"`
}

func changesOf(d store.Diagnosis) doctorChanges {
	o := doctorChanges{Changes: []doctorChange{}, Unnamed: d.Unnamed}
	for _, c := range d.Changes {
		switch c.State {
		case rescue.Lost:
			o.Lost++
		case rescue.RolledBack:
			o.RolledBack++
		default:
			o.Resurrected++
		}
		if len(o.Changes) == maxChanges {
			o.LeftOut++
			continue
		}
		o.Changes = append(o.Changes, doctorChange(c))
	}
	return o
}

// placed names a record of a shared space: team/ramen.
func placed(space, record string) string {
	if space == "" {
		return record
	}
	return space + "/" + record
}

func (o doctorChanges) details(env *tools.Env) (list []tools.Detail) {
	for _, c := range o.Changes {
		say := map[rescue.State]tools.Text{
			rescue.Lost:        "is lost",
			rescue.RolledBack:  "is rolled back to an older version",
			rescue.Resurrected: "was deleted, but is back",
		}[c.State]
		if !c.Certain {
			say = map[rescue.State]tools.Text{
				rescue.Lost:        "is probably lost",
				rescue.RolledBack:  "may be rolled back to an older version",
				rescue.Resurrected: "was probably deleted, but is back",
			}[c.State]
		}
		what := c.Name
		if c.Name == "" {
			what = c.ID
		} else if c.ID != "" && c.ID != c.Name {
			what += " (" + c.ID + ")"
		}
		list = append(list, tools.Detail{Path: strings.TrimSpace(string(c.Kind) + " " + placed(c.Space, what)),
			Message: env.Localize(say)})
	}
	if o.LeftOut > 0 {
		list = append(list, tools.Detail{Message: env.Localize("%d more changed records are not listed",
			o.LeftOut)})
	}
	if o.Unnamed > 0 {
		list = append(list, tools.Detail{Message: env.Localize("Damaged places with records that cannot all "+
			"be named: %d; the findings show their extent", o.Unnamed)})
	}
	return list
}

// examineServer checks the connection to a server, the token and the version, and whether
// the server can read its store. err is the error of looking for the server.
func examineServer(ctx context.Context, s *run.Run, env *tools.Env, address string, err error) (
	out doctorOut, _ error) {
	if err != nil {
		return out, err
	}
	server, e := s.Server(address)
	if e != nil {
		return out, e
	}
	who, e := server.Whoami(ctx, env)
	if e == nil {
		e = server.Ready(ctx, env)
	}
	if e != nil {
		return out, e
	}
	out = doctorOut{OK: true, Complete: true, Findings: []tools.Detail{}, doctorChanges: changesOf(store.Diagnosis{}),
		Kept: map[string]int{}}
	note := func(path string, message tools.Text, args ...any) {
		out.Findings = append(out.Findings, tools.Detail{Path: path, Message: env.Localize(message, args...)})
	}
	if who.Version != system.Version {
		note("version", "the server has version %s, this program %s", who.Version, system.Version)
	}
	if who.ReadOnly {
		note("token", "allows only what changes nothing")
	}
	if len(who.Only) > 0 {
		note("token", "allows only %s", strings.Join(who.Only, ", "))
	}
	if len(who.Spaces) > 0 {
		note("token", "allows only the spaces %s", strings.Join(who.Spaces, ", "))
	}
	out.Message = env.Localize("The server %s (version %s) can read its store; calls are those of %s", address,
		who.Version, who.User)
	return out, nil
}
