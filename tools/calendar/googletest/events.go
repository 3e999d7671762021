package googletest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

func (e Event) clone() Event {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	copied := Event{}
	if err := json.Unmarshal(b, &copied); err != nil {
		panic(err)
	}
	return copied
}

func (e Event) text(name string) string { s, _ := e[name].(string); return s }

// sub returns a nested object, nil without one.
func (e Event) sub(name string) Event {
	switch v := e[name].(type) {
	case map[string]any:
		return v
	case Event:
		return v
	}
	return nil
}

func (e Event) lines() (all []string) {
	switch v := e["recurrence"].(type) {
	case []any:
		for _, l := range v {
			all = append(all, fmt.Sprint(l))
		}
	case []string:
		all = v
	}
	return all
}

// readOnly are the fields that a client cannot set.
var readOnly = []string{"etag", "created", "updated", "kind", "htmlLink", "creator", "sequence", "recurringEventId"}

// store gives an event its id, etag and times, and stores it.
func (s *Server) store(c *calendar, e Event) {
	s.serial++
	if e.text("id") == "" {
		e["id"] = fmt.Sprintf("google%05d", s.serial)
	}
	if e.text("iCalUID") == "" {
		e["iCalUID"] = e.text("id") + "@google.com"
	}
	if e.text("status") == "" {
		e["status"] = "confirmed"
	}
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	if e.text("created") == "" {
		e["created"] = now
	}
	e["updated"], e["etag"], e["kind"] = now, fmt.Sprintf("%q", fmt.Sprint(s.serial)), "calendar#event"
	c.events[e.text("id")] = e
}

// validID reports whether the API permits an ID of an event.
func validID(id string) bool {
	return len(id) >= 5 && len(id) <= 1000 && strings.Trim(id, "abcdefghijklmnopqrstuv0123456789") == ""
}

// valid checks the times of an event as the API does.
func (e Event) valid() (answer, bool) {
	start, end := e.sub("start"), e.sub("end")
	if start == nil || end == nil {
		return refuse(400, "required", "Missing end time."), false
	}
	for _, t := range []Event{start, end} {
		day, at := t.text("date"), t.text("dateTime")
		if (day == "") == (at == "") {
			return refuse(400, "invalid", "Invalid start or end time: it needs either date or dateTime."), false
		}
		if at != "" {
			if _, err := time.Parse(time.RFC3339, at); err != nil {
				return refuse(400, "invalid", err.Error()), false
			}
			if len(e.lines()) > 0 && t.text("timeZone") == "" {
				return refuse(400, "required", "Missing time zone definition for start time."), false
			}
		}
	}
	if (start.text("date") == "") != (end.text("date") == "") {
		return refuse(400, "invalid", "Start and end times must either both be date or both be dateTime."), false
	}
	if from, to := instantOf(start, time.UTC), instantOf(end, time.UTC); to.Before(from) {
		return refuse(400, "timeRangeEmpty", "The specified time range is empty."), false
	}
	return answer{}, true
}

func (s *Server) insert(c *calendar, e Event) answer {
	for _, name := range readOnly {
		delete(e, name)
	}
	if id := e.text("id"); id != "" && !validID(id) {
		return refuse(400, "invalid", "Invalid resource id value.")
	}
	if c.events[e.text("id")] != nil || c.byUID(e.text("iCalUID")) != nil {
		return refuse(409, "duplicate", "The requested identifier already exists.")
	}
	if a, ok := e.valid(); !ok {
		return a
	}
	s.store(c, e)
	return answer{200, e.clone()}
}

// importEvent adds a copy of an event, or replaces the one with its UID.
func (s *Server) importEvent(c *calendar, e Event) answer {
	for _, name := range readOnly {
		delete(e, name)
	}
	if e.text("iCalUID") == "" {
		return refuse(400, "required", "Missing iCalUID.")
	}
	if a, ok := e.valid(); !ok {
		return a
	}
	delete(e, "id")
	if old := c.byUID(e.text("iCalUID")); old != nil {
		e["id"], e["created"] = old["id"], old["created"]
	}
	s.store(c, e)
	return answer{200, e.clone()}
}

func (c *calendar) byUID(uid string) Event {
	for _, e := range c.events {
		if uid != "" && e.text("iCalUID") == uid && e.text("recurringEventId") == "" {
			return e
		}
	}
	return nil
}

// event reads, changes or deletes one event or occurrence.
func (s *Server) event(c *calendar, id string, r *http.Request, body Event) answer {
	e := c.events[id]
	if e == nil {
		e = c.instance(id)
	}
	if e == nil {
		return refuse(404, "notFound", "Not Found")
	}
	if r.Method == http.MethodGet {
		return answer{200, e.clone()}
	}
	if r.Method == http.MethodDelete && e.text("status") == "cancelled" {
		return refuse(410, "deleted", "Resource has been deleted")
	}
	if tag := r.Header.Get("If-Match"); tag != "" && tag != e.text("etag") {
		return refuse(412, "conditionNotMet", "Precondition Failed")
	}
	changed := e.clone()
	switch r.Method {
	case http.MethodDelete:
		changed["status"] = "cancelled"
		s.store(c, changed)
		return answer{204, nil}
	case http.MethodPatch:
		for _, name := range append([]string{"id", "iCalUID"}, readOnly...) {
			delete(body, name)
		}
		merge(changed, body)
	default:
		return refuse(405, "httpMethodNotAllowed", r.Method)
	}
	if a, ok := changed.valid(); !ok {
		return a
	}
	s.store(c, changed)
	return answer{200, changed.clone()}
}

// merge applies a patch: null removes a field, objects merge, the rest replaces.
func merge(e, patch Event) {
	for name, v := range patch {
		old := e.sub(name)
		nested := patch.sub(name)
		switch {
		case v == nil:
			delete(e, name)
		case nested != nil && old != nil:
			merge(old, nested)
			e[name] = map[string]any(old)
		case nested != nil:
			fresh := Event{}
			merge(fresh, nested)
			e[name] = map[string]any(fresh)
		default:
			e[name] = v
		}
	}
	if list, ok := e["recurrence"].([]any); ok && len(list) == 0 {
		delete(e, "recurrence")
	}
}

func (s *Server) list(c *calendar, r *http.Request) answer {
	q := r.URL.Query()
	single, deleted := q.Get("singleEvents") == "true", q.Get("showDeleted") == "true"
	if q.Get("orderBy") == "startTime" && !single {
		return refuse(400, "invalid", "The requested ordering is not available for the particular query.")
	}
	from, to := time.Time{}, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, at := range map[string]*time.Time{"timeMin": &from, "timeMax": &to} {
		if text := q.Get(name); text != "" {
			t, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return refuse(400, "invalid", "Bad Request")
			}
			*at = t
		}
	}
	items := []Event{}
	for _, e := range c.events {
		if uid := q.Get("iCalUID"); uid != "" && e.text("iCalUID") != uid {
			continue
		}
		if e.text("status") == "cancelled" && !deleted || single && len(e.lines()) > 0 {
			continue
		}
		if c.overlaps(e, from, to) {
			items = append(items, e.clone())
		}
	}
	if single {
		for _, e := range c.events {
			items = append(items, c.expand(e, from, to)...)
		}
	}
	c.sort(items)
	return s.page(items, q.Get("pageToken"), q.Get("maxResults"))
}

func (c *calendar) sort(items []Event) {
	slices.SortFunc(items, func(a, b Event) int {
		if d := instantOf(a.sub("start"), c.location()).Compare(instantOf(b.sub("start"), c.location())); d != 0 {
			return d
		}
		return strings.Compare(a.text("id"), b.text("id"))
	})
}

// page returns a part of a list.
func (s *Server) page(items []Event, token, most string) answer {
	start, size := 0, len(items)
	if s.PageSize > 0 && token == "" {
		return answer{200, map[string]any{"kind": "calendar#events", "items": []Event{}, "nextPageToken": "0"}}
	}
	if token != "" {
		if _, err := fmt.Sscan(token, &start); err != nil || start > len(items) {
			return refuse(400, "invalid", "Bad Request")
		}
	}
	if s.PageSize > 0 {
		size = s.PageSize
	}
	asked := 0
	if _, err := fmt.Sscan(most, &asked); err == nil {
		size = min(size, asked)
	}
	end := min(start+size, len(items))
	body := map[string]any{"kind": "calendar#events", "items": items[start:end]}
	if end < len(items) {
		body["nextPageToken"] = fmt.Sprint(end)
	}
	return answer{200, body}
}
