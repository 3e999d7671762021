// Package googletest is a double of the Google Calendar API v3 for tests: events
// with etags, series with exceptions, the rules of PATCH, import, free and busy
// times, several accounts, and failures on request.
package googletest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Server answers the Calendar API below /calendar/v3 and the token endpoint at
// /token. A refresh token "refresh-A" belongs to the account A.
type Server struct {
	mu       sync.Mutex
	accounts map[string]map[string]*calendar // by account, then by calendar id
	failures []Failure
	requests []Request
	serial   int
	tokens   int

	// PageSize limits the events of a page; 0 means no limit. With a limit the first page is
	// empty, as the API permits.
	PageSize int
}

type calendar struct {
	zone   string
	events map[string]Event // by id
}

// Event is an event as JSON.
type Event map[string]any

// Request is a request that arrived.
type Request struct {
	Method, Path string
	Query        string
	Body         Event
	Match        string // the header If-Match
}

// Failure is an answer in place of the real one. It applies once.
type Failure struct {
	Method, Part string // of the request; "" matches any
	Status       int
	Reason       string
	RetryAfter   string
	Executed     bool // the request is executed first: only its answer is lost
	CutOff       bool // the answer ends early
}

// New returns a server on which each account has the calendar "primary".
func New(accounts ...string) *Server {
	s := &Server{accounts: map[string]map[string]*calendar{}}
	for _, a := range accounts {
		s.accounts[a] = map[string]*calendar{}
		s.AddCalendar(a, "primary", "Asia/Tokyo")
	}
	return s
}

// AddCalendar adds a calendar to an account, or sets the zone of an empty one.
func (s *Server) AddCalendar(account, id, zone string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accounts[account][id] = &calendar{zone, map[string]Event{}}
}

// Fail queues failures.
func (s *Server) Fail(all ...Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, all...)
}

// Requests returns the requests since the last call.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.requests
	s.requests = nil
	return all
}

// Events returns the events of a calendar by id, also cancelled ones.
func (s *Server) Events(account, id string) map[string]Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]Event{}
	for id, e := range s.accounts[account][id].events {
		all[id] = e.clone()
	}
	return all
}

// Put adds an event to a calendar as another program does. It returns its id.
func (s *Server) Put(account, id string, e Event) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	e = e.clone()
	s.store(s.accounts[account][id], e)
	return e.text("id")
}

// answer is the answer to a request: a status and a JSON value.
type answer struct {
	status int
	body   any
}

func refuse(status int, reason, message string) answer {
	return answer{status, map[string]any{"error": map[string]any{"code": status, "message": message,
		"errors": []map[string]string{{"domain": "global", "reason": reason, "message": message}}}}}
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := s.serve(w, r)
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(a.status)
	if a.body != nil {
		_ = json.NewEncoder(w).Encode(a.body)
	}
}

// serve answers one request at a time.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	body := Event{}
	if r.URL.Path == "/token" {
		if a, failed := s.failed(w, r); failed {
			return a
		}
		return s.token(r)
	}
	if r.Body != nil && r.ContentLength != 0 {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			return refuse(400, "parseError", err.Error())
		}
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/calendar/v3")
	s.requests = append(s.requests, Request{r.Method, path, r.URL.RawQuery, body.clone(), r.Header.Get("If-Match")})
	account := s.accountOf(r)
	if account == nil {
		return refuse(401, "authError", "Invalid Credentials")
	}
	if !ok {
		return refuse(404, "notFound", "Not Found")
	}
	for i, f := range s.failures {
		if f.Executed && f.matches(r) {
			s.failures = slices.Delete(s.failures, i, i+1)
			s.route(account, r, path, body)
			return refuse(f.Status, f.Reason, "failed on request")
		}
	}
	if a, failed := s.failed(w, r); failed {
		return a
	}
	return s.route(account, r, path, body)
}

// failed returns the next queued failure that matches a request.
func (s *Server) failed(w http.ResponseWriter, r *http.Request) (answer, bool) {
	for i, f := range s.failures {
		if f.matches(r) {
			s.failures = slices.Delete(s.failures, i, i+1)
			if f.RetryAfter != "" {
				w.Header().Set("Retry-After", f.RetryAfter)
			}
			if f.CutOff {
				w.Header().Set("Content-Length", "1000")
				return answer{200, map[string]any{"items": []any{}}}, true
			}
			return refuse(f.Status, f.Reason, "failed on request"), true
		}
	}
	return answer{}, false
}

func (f Failure) matches(r *http.Request) bool {
	return (f.Method == "" || f.Method == r.Method) && strings.Contains(r.URL.Path, f.Part)
}

func (s *Server) token(r *http.Request) answer {
	account, ok := strings.CutPrefix(r.FormValue("refresh_token"), "refresh-")
	if r.FormValue("grant_type") == "authorization_code" {
		account, ok = r.FormValue("code"), true
	}
	if s.accounts[account] == nil || !ok {
		return answer{400, map[string]string{"error": "invalid_grant"}}
	}
	s.tokens++
	return answer{200, map[string]any{"access_token": fmt.Sprintf("access-%s-%d", account, s.tokens),
		"refresh_token": "refresh-" + account, "expires_in": 3600, "token_type": "Bearer"}}
}

// accountOf returns the calendars of a request's account, nil without one.
func (s *Server) accountOf(r *http.Request) map[string]*calendar {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer access-")
	if i := strings.LastIndexByte(token, '-'); ok && i > 0 {
		return s.accounts[token[:i]]
	}
	return nil
}

func (s *Server) route(account map[string]*calendar, r *http.Request, path string, body Event) answer {
	if path == "/freeBusy" {
		return s.freeBusy(account, body)
	}
	part := strings.Split(strings.TrimPrefix(path, "/calendars/"), "/")
	c := account[part[0]]
	if c == nil || !strings.HasPrefix(path, "/calendars/") {
		return refuse(404, "notFound", "Not Found")
	}
	switch {
	case len(part) == 1 && r.Method == http.MethodGet:
		return answer{200, map[string]any{"kind": "calendar#calendar", "id": part[0], "timeZone": c.zone}}
	case len(part) == 2 && r.Method == http.MethodGet:
		return s.list(c, r)
	case len(part) == 2 && r.Method == http.MethodPost:
		return s.insert(c, body)
	case len(part) == 3 && part[2] == "import" && r.Method == http.MethodPost:
		return s.importEvent(c, body)
	case len(part) == 4 && part[3] == "instances":
		return s.instances(c, part[2], r)
	case len(part) == 3:
		return s.event(c, part[2], r, body)
	}
	return refuse(404, "notFound", "Not Found")
}
