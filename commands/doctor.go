package commands

import (
	"context"
	"strings"

	"techo/store"
	"techo/tools"
)

// doctorIn is the input of the command doctor.
type doctorIn struct {
	Repair bool `json:"repair,omitempty" en:"Put what can be rescued in the place of a damaged store, which is kept beside it" ja:"救出できる内容で壊れたストアを置き換える（元のストアは隣に残す）"`
}

// doctorOut is the result of the command doctor.
type doctorOut struct {
	OK       bool           `json:"ok"`
	Repaired bool           `json:"repaired"`
	Findings []tools.Detail `json:"findings"`
	Kept     map[string]int `json:"kept"`
	Records  int            `json:"records"`
	Aside    string         `json:"aside,omitempty"`
	Message  string         `json:"message"`
}

// Text writes a line for each finding.
func (o doctorOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, f := range o.Findings {
		lines = append(lines, "- "+f.Path+": "+f.Message)
	}
	if o.Aside != "" {
		lines = append(lines, env.Say(tools.Say{EN: "The damaged store is kept at %s", JA: "壊れたストアは %s に残しました"}, o.Aside))
	}
	return strings.Join(lines, "\n")
}

// doctorCommand examines the store, and rescues what can be read of a damaged one.
func doctorCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "doctor",
		Aliases: []string{"store doctor"},
		About:   tools.Say{EN: "Examine the store to the bottom, and rescue a damaged one", JA: "ストアを徹底的に検査し、壊れていれば救出する"},
		More: tools.Say{
			EN: "Alone it changes nothing: of a damaged store it makes a copy of all that can be read, checks the copy, says what is lost and what would be kept (the error corrupt, exit 1), and removes the copy again. With --repair the copy takes the store's place, and the damaged one is kept beside it. Others wait meanwhile. A backup, where there is one, is better: techo store restore.",
			JA: "オプションなしでは何も変更しない。壊れたストアからは読める内容をすべてコピーに取り出し、それを検査し、何が失われ何が残るかを示して（エラー corrupt、終了コード 1）、コピーを消す。--repair を付けるとコピーがストアと入れ替わり、壊れたストアは隣に残る。その間、他の呼び出しは待つ。バックアップがあれば techo store restore のほうがよい。",
		},
		Effect: tools.Changes,
		Examples: []tools.Example{
			{Does: tools.Say{EN: "See whether all is well", JA: "異常がないか調べる"}, Line: "doctor"},
			{Does: tools.Say{EN: "Rescue what can be rescued", JA: "救出できるものを救出する"}, Line: "doctor --repair"},
		},
	}, func(ctx context.Context, env *tools.Env, in doctorIn) (out doctorOut, err error) {
		where, err := s.place()
		if err != nil {
			return out, err
		}
		d, err := store.Doctor(ctx, where, store.DoctorOptions{
			Options: store.Options{Holder: s.name(), Now: s.now}, Repair: in.Repair, Progress: env.Progress,
		})
		if err != nil {
			return out, err
		}
		out = doctorOut{
			OK: d.Sound || d.Repaired, Repaired: d.Repaired, Aside: d.Aside,
			Findings: findings(env, d), Kept: d.Report.Kept, Records: d.Report.Records,
		}
		switch {
		case d.Sound:
			out.Message = env.Say(tools.Say{EN: "The store is sound: %d records", JA: "ストアは正常です: %dレコード"}, out.Records)
		case d.Repaired:
			out.Message = env.Say(tools.Say{EN: "The store was repaired: %d records kept; faults: %d", JA: "ストアを修復しました: %dレコードを救出、異常%d件"}, out.Records, len(out.Findings))
		default:
			return out, damaged(env, d, out)
		}
		return out, nil
	})}
}

// damaged is the answer about a store that was not repaired.
func damaged(env *tools.Env, d store.Diagnosis, out doctorOut) error {
	e := env.Fail(tools.Corrupt, tools.Say{EN: "The store is damaged: %v", JA: "ストアが壊れています: %v"}, d.Fault)
	e.Details = out.Findings
	return e.WithHint(env.Say(tools.Say{
		EN: "Nothing was changed. techo doctor --repair would keep %d records and put the damaged store aside; techo store restore goes back to a backup",
		JA: "何も変更していません。techo doctor --repair は%dレコードを救出し、壊れたストアを隣に残します。バックアップがあれば techo store restore で戻せます",
	}, out.Records))
}

// findings tells what was damaged, and what follows from it.
func findings(env *tools.Env, d store.Diagnosis) []tools.Detail {
	list := []tools.Detail{}
	for _, f := range d.Findings {
		list = append(list, tools.Detail{Path: f.Path, Message: f.Reason})
	}
	for _, n := range d.Notes {
		say := map[string]tools.Say{
			"dropped":  {EN: "is left out: %s", JA: "除外します: %s"},
			"renamed":  {EN: "takes the name %s, since its own is in use", JA: "名前が重複するため「%s」に変わります"},
			"untagged": {EN: "loses its tags: %s", JA: "タグを失います: %s"},
		}[n.Kind]
		list = append(list, tools.Detail{Path: n.About, Message: env.Say(say, n.Reason)})
	}
	return list
}
