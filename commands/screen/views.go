package screen

import (
	"strconv"
	"strings"
	"time"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/todo"
	"techo/tools/when"
)

type record map[string]any

func (r record) text(name string) string {
	switch v := r[name].(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

func (r record) is(name string) bool { return r[name] == true }

func (r record) texts(name string) (all []string) {
	list, _ := r[name].([]any)
	for _, v := range list {
		if text, ok := v.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// view is the table of a tool's list.
type view struct {
	tool     string // its name, or the command of one without a name
	list, id string // fields of the document and of a record
	rest     int    // the column that takes the rest of the width
	bare     bool   // the text has only the records, without hyphens
	row      func(*viewer, record) []cell
	heads    []tools.Text
}

// viewer makes the cells of a table.
type viewer struct {
	env   *tools.Env
	short int // letters of a shown id
}

var views = [...]view{
	{"list_todos", "todos", "todo_id", 1, false, (*viewer).todo, []tools.Text{"Due", "To-do", "Priority", "ID"}},
	{"list_memo", "memos", "name", 2, false, (*viewer).memo, []tools.Text{"Name", "Priority", "Memo"}},
	{"list_memory", "memories", "id", 1, false, (*viewer).memory, []tools.Text{"Date", "Memory", "ID"}},
	{"memory_timeline", "memories", "id", 1, false, (*viewer).memory, []tools.Text{"Date", "Memory", "ID"}},
	{"search_memory", "results", "id", 1, false, (*viewer).found, []tools.Text{"Date", "Memory", "ID"}},
	{"list_history", "changes", "id", 3, false, (*viewer).change, []tools.Text{"ID", "Date", "Tool", "What", "By"}},
	{"list_memo_tags", "tags", "tag", 0, false, (*viewer).tag, []tools.Text{"Tag", "Memos"}},
	{"list_calendars", "calendars", "name", 0, false, (*viewer).calendar, []tools.Text{"Calendar", "Kind", "Events"}},
	{"cal due", "due", "event_id", 1, false, (*viewer).alarm, []tools.Text{"Alarm", "What", "ID"}},
	{"suggest_schedule", "suggestions", "", 1, false, (*viewer).suggestion, []tools.Text{"When", "Why"}},
	{"list_questions", "questions", "question_id", 1, false, (*viewer).question,
		[]tools.Text{"Asked", "Question", "Answer", "ID"}},
	{"ask history", "questions", "question_id", 1, false, (*viewer).question,
		[]tools.Text{"Asked", "Question", "Answer", "ID"}},
	{"list_spaces", "spaces", "name", 0, false, (*viewer).space, []tools.Text{"Space", "Role", "Members"}},
	{"token list", "tokens", "id", 2, true, (*viewer).token, []tools.Text{"ID", "User", "Limits", "Last used"}},
	{"config list", "settings", "name", 1, true, (*viewer).setting, []tools.Text{"Setting", "Value", "From"}},
}

func (v *viewer) heads(of view) (row []cell) {
	for _, h := range of.heads {
		row = append(row, cell{v.env.Localize(h), bold})
	}
	return row
}

func (v *viewer) id(text string) cell { return cell{shortened(text, v.short), dim} }

// marks returns the words for the unusual properties of a record, behind its text.
func (v *viewer) marks(all ...string) string {
	var given []string
	for _, m := range all {
		if m != "" {
			given = append(given, m)
		}
	}
	if len(given) == 0 {
		return ""
	}
	return " [" + strings.Join(given, ", ") + "]"
}

func (v *viewer) word(applies bool, word tools.Text) string {
	if !applies {
		return ""
	}
	return v.env.Localize(word)
}

// day returns a day in few words: today, Mon 5 Jan, or with another year than this one.
func (v *viewer) day(t time.Time) string {
	if near := strings.Trim(when.Near(v.env, t), " ()（）"); near != "" {
		return near
	}
	text := backend.ShortDay(v.env, t)
	switch {
	case t.Year() == v.env.Now().In(v.env.Zone).Year():
		return text
	case v.env.Lang == tools.Japanese:
		return strconv.Itoa(t.Year()) + "/" + text
	}
	return text + " " + strconv.Itoa(t.Year())
}

// at returns a time of a document in few words.
func (v *viewer) at(text string) string {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return v.day(t)
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	t = t.In(v.env.Zone)
	return v.day(t) + t.Format(" 15:04")
}

func (v *viewer) todo(r record) []cell {
	due := cell{v.at(r.text("due")), plain}
	if r.is("overdue") {
		due.style = red
	}
	priority := ""
	if n, _ := strconv.Atoi(r.text("priority")); n > 0 {
		priority = todo.PriorityText(v.env, n)
	}
	calendar := r.text("calendar")
	if r.text("space") == "" && calendar == event.DefaultCalendar {
		calendar = ""
	}
	mark := map[string]string{"completed": "✓ ", "cancelled": "✗ "}[r.text("status")]
	repeats := len(r.texts("recurrence")) > 0 || r.text("repeat_after") != ""
	title := mark + r.text("title") + v.marks(v.word(r.is("overdue"), "overdue"), v.word(repeats, "repeats"),
		v.word(len(r.texts("alarms")) > 0, "alarm"), placed(r.text("space"), calendar))
	return []cell{due, {title, plain}, {priority, plain}, v.id(r.text("todo_id"))}
}

func placed(space, calendar string) string {
	if calendar == "" {
		return ""
	}
	return backend.Label(space, calendar)
}

func (v *viewer) memo(r record) []cell {
	text := r.text("content") + v.marks(r.texts("tags")...) + v.word(r.is("has_detail"), " [has detail]")
	if space := r.text("space"); space != "" {
		text += v.env.Localize(" [space: %s]", space)
	}
	return []cell{{r.text("name"), plain}, {r.text("priority"), plain}, {text, plain}}
}

func (v *viewer) memory(r record) []cell {
	return []cell{{v.at(r.text("created_at")), plain}, {r.text("caption"), plain}, v.id(r.text("id"))}
}

func (v *viewer) change(r record) []cell {
	about := r.text("title")
	if about == "" {
		about = r.text("about")
	}
	if n, _ := strconv.Atoi(r.text("records")); n > 1 {
		about += v.env.Localize(", ") + v.env.Count(n, "%d record", "%d records")
	}
	if moved := r.text("moved"); moved != "" {
		about += " ⇄ " + moved
	}
	if r.is("undone") {
		about += v.env.Localize(", undone by %s", r.text("undone_by"))
	}
	return []cell{v.id(r.text("id")), {v.at(r.text("at")), plain}, {r.text("tool"), plain}, {about, plain},
		{r.text("by"), dim}}
}

func (v *viewer) tag(r record) []cell {
	return []cell{{r.text("tag"), plain}, {r.text("count"), plain}}
}

func (v *viewer) calendar(r record) []cell {
	name := placed(r.text("space"), r.text("name"))
	if r.is("default") && r.text("name") != event.DefaultCalendar {
		name += v.env.Localize(" [default]")
	}
	events := r.text("events")
	if r.text("kind") == event.GoogleCalendar { // its events are not in the store
		events = r.text("remote")
	}
	return []cell{{name, plain}, {r.text("kind"), plain}, {events, plain}}
}
