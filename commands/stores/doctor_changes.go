package stores

import (
	"strings"

	"techo/store"
	"techo/store/kv/rescue"
	"techo/store/ledger"
	"techo/tools"
)

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

// doctorChange is one of these records.
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

// details describes the changes in words.
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
