package caldav

import (
	"errors"
	"slices"
	"strings"

	"techo/export"
	"techo/internal/ical"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/ics"
)

// object is a resource of a server as its text: a change writes the properties that it concerns, and
// all other bytes stay.
type object struct {
	env  *tools.Env
	text *ical.Text
	read ics.Object
}

func readObject(env *tools.Env, data []byte) (*object, error) {
	read, err := ics.ReadByUID(env, data)
	return &object{env, ical.ParseText(data), read}, err
}

// split reports whether the resource has a series that goes on differently from an occurrence on, which
// are several series here (RANGE=THISANDFUTURE).
func (o *object) split() bool { return len(o.read.Events)+len(o.read.Todos) > 1 }

// entry is an event or a to-do as a component.
type entry struct {
	event    *event.Event
	original string // the occurrence that it replaces
	zones    []*ical.Component
	*ical.Component
}

// entriesOf returns the components of a calendar, as techo writes them.
func entriesOf(c export.Calendar) (all []entry) {
	add := func(one export.Calendar, e *event.Event) {
		roots, _ := ical.Parse([]byte(one.String()))
		it := entry{event: e, original: e.RecurrenceID}
		for _, part := range roots[0].Components {
			if part.Name == "VTIMEZONE" {
				it.zones = append(it.zones, part)
			} else if it.Component == nil {
				it.Component = part
			}
		}
		all = append(all, it)
	}
	for i := range c.Events {
		add(export.Calendar{Events: c.Events[i : i+1]}, &c.Events[i])
	}
	for i := range c.Todos {
		add(export.Calendar{Todos: c.Todos[i : i+1]}, &c.Todos[i].Event)
	}
	return all
}

// errSeveral reports a change of a series that is one of several in a resource.
var errSeveral = errors.New("several series in one object")

// change writes the difference between two contents with one UID into the text. It fails if the
// difference concerns a part that was not read.
func (o *object) change(uid string, before, after export.Calendar) error {
	if len(o.text.Sections) == 0 {
		return o.refuse(nil)
	}
	was, now := entriesOf(before), entriesOf(after)
	sections := o.sections(uid)
	for i := range was {
		section, next := sections[was[i].original], entryOf(now, was[i].original)
		switch {
		case section == nil:
		case next != nil:
			if err := o.update(section, &was[i], next); err != nil {
				return err
			}
		default:
			if err := o.restructures(); err != nil {
				return err
			}
			o.text.Remove(section)
		}
	}
	for i := range now {
		next, old := &now[i], entryOf(was, now[i].original)
		if old != nil && (sections[next.original] != nil || len(differences(old.Component, next.Component)) == 0) {
			continue
		}
		if err := o.restructures(); err != nil {
			return err
		}
		o.addZones(next)
		o.text.Add(linesOfComponent(next.Component))
	}
	return nil
}

// restructures checks that components may be added or removed.
func (o *object) restructures() error {
	if problem := o.unreadTime(nil); problem != nil {
		return o.refuse(problem)
	}
	if o.split() {
		return errSeveral
	}
	return nil
}

// entryOf returns the component that replaces an occurrence, or nil.
func entryOf(all []entry, original string) *entry {
	i := slices.IndexFunc(all, func(e entry) bool { return e.original == original })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// sections returns the components of a UID in the text, by the occurrence that they replace.
func (o *object) sections(uid string) map[string]*ical.Section {
	all := map[string]*ical.Section{}
	add := func(e *event.Event) {
		// an occurrence with a length of its own (RDATE) stands in its series
		if s := o.text.At(e.Line); s != nil && (e.RecurrenceID == "" || len(s.Own("RECURRENCE-ID")) > 0) {
			all[e.RecurrenceID] = s
		}
	}
	for i := range o.read.Events[uid] {
		add(&o.read.Events[uid][i])
	}
	for i := range o.read.Todos[uid] {
		add(&o.read.Todos[uid][i].Event)
	}
	return all
}

// unreadTime returns a problem that concerns when something in a section is, or nil. A nil section is
// the whole resource.
func (o *object) unreadTime(s *ical.Section) *ics.Problem {
	for i := range o.read.Problems {
		p := &o.read.Problems[i]
		inside := s == nil || slices.ContainsFunc(s.Lines, func(l ical.Line) bool { return l.Line == p.Line })
		if p.Times() && inside {
			return p
		}
	}
	return nil
}

// refuse is the error of a change that concerns what was not read.
func (o *object) refuse(p *ics.Problem) error {
	why := o.env.Localize("it is not a calendar that techo understands")
	if p != nil {
		why = p.Message
	}
	return lossError(o.env, why)
}

// lossError is the error of a change that would lose what was not read.
func lossError(env *tools.Env, why string) *tools.Error {
	return env.Fail(tools.Conflict, "The server's event has a part that cannot be read and would be lost: %s", why).
		WithHint(env.Hint("Change its times with the program that made it; its texts can be changed here"))
}

// Properties that belong together.
var (
	// timeNames decide when an event is.
	timeNames = []string{"DTSTART", "DTEND", "DURATION", "DUE", "RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID"}
	endNames  = []string{"DTEND", "DURATION", "DUE"}
	// versionNames change with the times and the status only (RFC 5546, 2.1.4).
	versionNames = []string{"SEQUENCE", "DTSTAMP", "LAST-MODIFIED"}
)

// differences returns the names of the properties in which two components differ, except their versions.
func differences(a, b *ical.Component) (names []string) {
	for _, c := range []*ical.Component{a, b} {
		for i := range c.Properties {
			name := c.Properties[i].Name
			if name != "CREATED" && !slices.Contains(versionNames, name) && !slices.Contains(names, name) &&
				!slices.Equal(linesOf(a, name), linesOf(b, name)) {
				names = append(names, name)
			}
		}
	}
	return names
}

// linesOf returns the lines of the properties with a name.
func linesOf(c *ical.Component, name string) (all []string) {
	for i := range c.Properties {
		if c.Properties[i].Name == name {
			all = append(all, c.Properties[i].String())
		}
	}
	return all
}

func linesOfComponent(c *ical.Component) []string {
	all := []string{"BEGIN:" + c.Name}
	for i := range c.Properties {
		all = append(all, c.Properties[i].String())
	}
	for _, inner := range c.Components {
		all = append(all, linesOfComponent(inner)...)
	}
	return append(all, "END:"+c.Name)
}

// update writes the difference between two forms of a component into its section.
func (o *object) update(s *ical.Section, before, after *entry) error {
	home := ""
	if own := s.Own("DTSTART"); len(own) > 0 {
		home = own[0].Param("TZID")
	}
	names := differences(before.Component, after.Component)
	names = slices.DeleteFunc(names, func(name string) bool { return keepsEnd(s, name, before, after) })
	newVersion := slices.Contains(names, "STATUS")
	for _, name := range names {
		was, now := linesOf(before.Component, name), linesOf(after.Component, name)
		if slices.Contains(timeNames, name) {
			newVersion = true
			if problem := o.unreadTime(s); problem != nil {
				return o.refuse(problem)
			}
			if o.split() || len(s.Own("RECURRENCE-ID")) > 0 && name == "RRULE" {
				return errSeveral
			}
			if home != "" && before.event.Zone == after.event.Zone {
				now = inZone(now, before.event.Zone, home)
			} else {
				o.addZones(after)
			}
		}
		if slices.Contains(endNames, name) { // an event has one of them
			for _, other := range endNames {
				o.text.Replace(s, other, func(ical.Line) bool { return other != name }, nil)
			}
		}
		o.replace(s, name, was, now)
	}
	o.updateInner(s, before.Component, after.Component)
	if newVersion {
		for _, name := range versionNames {
			if name == "SEQUENCE" || len(s.Own(name)) > 0 {
				o.replace(s, name, nil, linesOf(after.Component, name))
			}
		}
	}
	return nil
}

// keepsEnd reports whether a section says the end in another way, which still holds.
func keepsEnd(s *ical.Section, name string, before, after *entry) bool {
	a, b := before.event, after.event
	return slices.Contains(endNames, name) && len(s.Own(name)) == 0 && len(linesOf(before.Component, name)) > 0 &&
		len(linesOf(after.Component, name)) > 0 && a.Form == b.Form && a.Days == b.Days && a.Length == b.Length
}

// replace replaces lines of a section by others. If the section has one in another form, all with
// the name are replaced; the language of a text stays.
func (o *object) replace(s *ical.Section, name string, was, now []string) {
	own := s.Own(name)
	has := func(all []string, line string) bool { return slices.Contains(all, line) }
	known := len(was) > 0
	for _, line := range was {
		known = known && (has(now, line) || slices.ContainsFunc(own, func(l ical.Line) bool { return l.String() == line }))
	}
	if known {
		added := slices.DeleteFunc(slices.Clone(now), func(line string) bool { return has(was, line) })
		o.text.Replace(s, name, func(l ical.Line) bool { return has(was, l.String()) && !has(now, l.String()) }, added)
		return
	}
	if len(own) == 1 && len(now) == 1 && own[0].Param("LANGUAGE") != "" {
		rest := strings.TrimPrefix(now[0], name)
		now = []string{name + ";LANGUAGE=" + ical.ParamValue(own[0].Param("LANGUAGE")) + rest}
	}
	o.text.Replace(s, name, func(ical.Line) bool { return true }, now)
}

// updateInner writes the difference between the alarms and other components of two components into
// a section.
func (o *object) updateInner(s *ical.Section, before, after *ical.Component) {
	texts := func(c *ical.Component) (all []string) {
		for _, inner := range c.Components {
			all = append(all, strings.Join(linesOfComponent(inner), "\n"))
		}
		return all
	}
	was, now := texts(before), texts(after)
	for _, text := range was {
		if slices.Contains(now, text) {
			continue
		}
		for n, inner := range s.Inner() {
			if strings.Join(inner, "\n") == text {
				s.RemoveInner(n)
				break
			}
		}
	}
	for _, text := range now {
		if !slices.Contains(was, text) {
			o.text.AddInner(s, strings.Split(text, "\n"))
		}
	}
}

// inZone gives lines the name that a resource has for their zone.
func inZone(lines []string, zone, home string) (all []string) {
	for _, line := range lines {
		all = append(all, strings.Replace(line, ";TZID="+ical.ParamValue(zone)+":", ";TZID="+ical.ParamValue(home)+":", 1))
	}
	return all
}

// addZones adds the definitions of the zones of a component that the text lacks.
func (o *object) addZones(e *entry) {
	for _, zone := range e.zones {
		lacks := !slices.ContainsFunc(o.text.Sections, func(s *ical.Section) bool {
			own := s.Own("TZID")
			return s.Name == "VTIMEZONE" && len(own) > 0 && own[0].Value == zone.Property("TZID").Value
		})
		if lacks {
			o.text.Add(linesOfComponent(zone))
		}
	}
}

// cutTo leaves only the components of one UID, which are as in a content: the other series of the
// resource have resources of their own.
func (o *object) cutTo(uid string, before, after export.Calendar) error {
	if problem := o.unreadTime(nil); problem != nil {
		return o.refuse(problem)
	}
	sections := o.sections(uid)
	if sections[""] == nil || len(sections[""].Own("RECURRENCE-ID")) > 0 {
		return o.refuse(nil)
	}
	for _, s := range slices.Clone(o.text.Sections) {
		own := s.Name == "VTIMEZONE"
		for _, one := range sections {
			own = own || one == s
		}
		if !own {
			o.text.Remove(s)
		}
	}
	o.read.Events, o.read.Todos = map[string][]event.Event{uid: o.read.Events[uid]}, nil
	if err := o.change(uid, before, after); err != nil {
		return err
	}
	for _, e := range entriesOf(after) {
		for _, name := range []string{"RRULE", "RDATE", "EXDATE"} {
			if e.original == "" {
				o.text.Replace(sections[""], name, func(ical.Line) bool { return true }, linesOf(e.Component, name))
			}
		}
	}
	return nil
}
