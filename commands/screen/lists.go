package screen

import (
	"strconv"
	"strings"

	"techo/tools"
)

// flat returns a record with the fields of the event or to-do that it is about.
func flat(r record) record {
	for _, name := range []string{"event", "todo"} {
		about, _ := r[name].(map[string]any)
		for field, value := range about {
			if field == "todo_id" {
				field = "event_id"
			}
			r[field] = value
		}
	}
	return r
}

func (v *viewer) alarm(r record) []cell {
	title := r.text("title")
	if at := r.text("start"); at != "" {
		title += v.env.Localize(", ") + v.at(at)
	}
	return []cell{{v.at(r.text("alarm_at")), plain}, {title, plain}, v.id(r.text("event_id"))}
}

func (v *viewer) suggestion(r record) []cell {
	from, to := v.at(r.text("start")), v.at(r.text("end"))
	to = strings.TrimPrefix(to, from[:strings.LastIndex(from, " ")+1]) // of the same day
	why := strings.Join(r.texts("why"), v.env.Localize(", ")) + v.marks(r.text("label"))
	return []cell{{from + "–" + to, plain}, {why, plain}}
}

func (v *viewer) found(r record) []cell {
	text := r.text("snippet")
	caption := strings.TrimSuffix(r.text("caption"), "…")
	if !strings.HasPrefix(oneLine(text), oneLine(caption)) {
		text = r.text("caption") + ": " + text
	}
	text += v.marks(v.word(r.text("superseded_by") != "", "superseded"), v.word(r.is("stale"), "source changed"))
	if space := r.text("space"); space != "" {
		text += v.env.Localize(" [space: %s]", space)
	}
	if reason := r.text("reason"); reason != "" {
		text += v.env.Localize(" (%s)", reason)
	}
	return []cell{{v.at(r.text("created_at")), plain}, {text, plain}, v.id(r.text("id"))}
}

func (v *viewer) question(r record) []cell {
	text := r.text("question")
	var options []string
	for i, option := range r.texts("options") {
		options = append(options, strconv.Itoa(i+1)+". "+option)
	}
	if len(options) > 0 {
		text += v.env.Localize(" (%s)", strings.Join(options, v.env.Localize(", ")))
	}
	answer := cell{r.text("answer"), plain}
	states := map[string]tools.Text{"pending": "pending", "expired": "expired", "cancelled": "cancelled"}
	if state := states[r.text("status")]; state != "" {
		answer = cell{v.env.Localize(state), dim}
	}
	late, _ := r["late"].([]any)
	text += v.marks(v.word(len(late) > 0, "answered late"))
	return []cell{{v.at(r.text("asked_at")), plain}, {text, plain}, answer, v.id(r.text("question_id"))}
}

func (v *viewer) space(r record) []cell {
	return []cell{{r.text("name"), plain}, {r.text("role"), plain}, {r.text("members"), plain}}
}

func (v *viewer) token(r record) []cell {
	var limits []string
	if audience := r.text("audience"); audience != string(tools.Agents) {
		limits = append(limits, "--audience "+audience)
	}
	if r.is("read_only") {
		limits = append(limits, "--read-only")
	}
	for _, name := range []string{"only", "spaces"} {
		if all := r.texts(name); len(all) > 0 {
			limits = append(limits, "--"+name+" "+strings.Join(all, ","))
		}
	}
	for _, name := range []string{"per_minute", "at_once"} {
		if n := r.text(name); n != "" {
			limits = append(limits, "--"+strings.ReplaceAll(name, "_", "-")+" "+n)
		}
	}
	used := v.env.Localize("never")
	if at := r.text("last_used_at"); at != "" {
		used = v.at(at)
	}
	return []cell{v.id(r.text("id")), {r.text("user"), plain},
		{strings.Join(limits, " "), plain}, {used, dim}}
}

func (v *viewer) setting(r record) []cell {
	from, look := r.text("from"), plain
	if from == "default" {
		look = dim
	}
	if file := r.text("file"); file != "" {
		from = file
	}
	return []cell{{r.text("name"), look}, {r.text("value"), look}, {from, look}}
}
