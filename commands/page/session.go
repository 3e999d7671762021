package page

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"techo/commands/system"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/person"
)

// proofHeader is the header in which the script of the page sends its proof.
//
// A cookie alone proves little: browsers send it to every port of a host, so a server of
// another user of this machine may see it at any time, and pages of other ports count as
// the same site. The proof is in the fragment of the redirect that begins a session, which
// browsers send to no server. The page keeps it where only scripts of this origin can read it,
// and no other page can make a browser send the header.
const proofHeader = "Techo-Page"

// Link returns a new link that opens the page once, and the time when it expires. base
// is the address of the server, http://HOST:PORT.
func (s *Site) Link(base string) (link string, ends time.Time) {
	key, ends := s.links.add(grant{})
	return base + OpenPath + "?key=" + key, ends
}

// open answers a one-time link: it starts a session and redirects, so that the key does
// not stay in the browser's address bar or history. A link that is not valid shows the
// page, which explains it.
func (s *Site) open(w http.ResponseWriter, r *http.Request) {
	setHeaders(w)
	query, err := url.ParseQuery(r.URL.RawQuery)
	once := func(*grant) (keep bool) { return false }
	if err != nil || r.Method != http.MethodGet || !s.links.use(query.Get("key"), once) {
		serveFile(w, r, "index.html", http.StatusForbidden)
		return
	}
	proof := rand.Text()
	secret, _ := s.sessions.add(grant{proof: digestOf(proof)})
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: secret, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	http.Redirect(w, r, "/#proof="+proof, http.StatusSeeOther)
}

// cookieName returns the name of the cookie. It contains the port, because all servers
// of a host share their cookies.
func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil && strings.Trim(port, "0123456789") == "" {
		return "techo_page_" + port
	}
	return "techo_page"
}

// Claims reports whether a request is made by the page: it has the header of the page and
// no token, or its path is for the page only.
func (s *Site) Claims(r *http.Request) bool {
	if r.URL.Path == sessionPath || r.URL.Path == eventsPath || r.URL.Path == SecretPath {
		return true
	}
	return len(r.Header.Values("Authorization")) == 0 && len(r.Header.Values(proofHeader)) > 0
}

// Session is a session of the page, as far as answers depend on it.
type Session struct {
	Unlocked bool // by the person's secret

	cookie string // its value
}

// Check returns an error unless a request belongs to a session of the page.
func (s *Site) Check(env *tools.Env, r *http.Request) (session Session, e *tools.Error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead && len(r.Header.Values("Origin")) != 1 {
		// The guard has compared the origin with the host; browsers always send it here.
		return session, env.Fail(tools.Forbidden, "A request of the page needs the header Origin")
	}
	proof, valid := digestOf(r.Header.Get(proofHeader)), false
	for _, cookie := range r.CookiesNamed(cookieName(r)) { // an older session or another path may have left some
		s.sessions.use(cookie.Value, func(g *grant) bool {
			if g.proof == proof {
				session, valid = Session{s.sessions.now().Before(g.unlocked), cookie.Value}, true
				if session.Unlocked && r.URL.Path == answerPath {
					g.unlocked = s.sessions.now().Add(person.UnlockedFor)
				}
			}
			return true
		})
	}
	if !valid {
		return session, env.Fail(tools.Unavailable, "The session of this page has ended, or its link was used already").
			WithHint(env.Hint("Open a new link: run %s", tools.Use("page")))
	}
	return session, nil
}

// answerPath is the path of an answer, which keeps its session unlocked.
const answerPath = "/tools/answer_question"

// Unlock notes that the person has entered their secret in the session of a request.
func (s *Site) Unlock(env *tools.Env, r *http.Request) *tools.Error {
	session, e := s.Check(env, r)
	if e == nil {
		s.sessions.use(session.cookie, func(g *grant) bool {
			g.unlocked = s.sessions.now().Add(person.UnlockedFor)
			return true
		})
	}
	return e
}

// session answers POST /page/session with the settings of the page.
func (s *Site) session(w http.ResponseWriter, _ *http.Request) {
	env := s.run.Env()
	where, _ := env.Where() // a store that cannot be found is reported by each call
	text := func(v string) []byte { return jsontree.AppendText(nil, v) }
	document := jsontree.AppendObject(nil, []jsontree.Field{
		{Name: "user", Value: text(env.User)},
		{Name: "lang", Value: text(string(env.Lang))},
		{Name: "timezone", Value: text(env.Zone.String())},
		{Name: "now", Value: text(env.Time(env.Now()))},
		{Name: "store", Value: text(where)},
		{Name: "version", Value: text(system.Version)},
	})
	setHeaders(w)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(document, '\n')) // the browser may have gone
}
