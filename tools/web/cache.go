package web

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/store/webcache"
	"techo/tools"
	"techo/tools/internet"
)

// defaultFreshness is the lifetime of a page in the cache if its server sets none.
// Further parts of a page are read from the cache for the same time.
const defaultFreshness = 15 * time.Minute

// maxFreshness limits the lifetime set by a server.
const maxFreshness = 24 * time.Hour

type cachedPage struct {
	fetched
	private bool // it came from a private address
	until   time.Time
}

// cache reads and writes the store's cache of pages. Without a store, or after an
// error, it keeps nothing and pages are fetched anyway.
type cache struct {
	f    *fetch
	ctx  context.Context
	kind string // of the pages: as their servers send them, or rendered
	off  bool   // requests with the caller's own headers bypass the cache
	fail error
}

func (f *fetch) openCache(ctx context.Context, sent http.Header) *cache {
	return &cache{f: f, ctx: ctx, off: len(sent) > 0 || f.env.Open == nil}
}

// key returns the key of an address. It includes the language, because servers may
// answer by Accept-Language.
func (c *cache) key(address string) string {
	return string(c.f.env.Lang) + c.kind + " " + address
}

func (c *cache) find(address string) *cachedPage {
	if c.off {
		return nil
	}
	st, err := c.f.env.Store(c.ctx, tools.Reads)
	if err != nil {
		c.fail = err
		return nil
	}
	p, err := st.FindWebPage(c.ctx, c.key(address))
	if err != nil || p == nil {
		c.fail = err
		return nil
	}
	final, err := url.Parse(p.URL)
	if err != nil || p.Private && (!internet.Of(c.f.env).AllowsPrivate(final.Hostname(), internet.PortOf(final)) ||
		c.f.client.checkName(final) != nil) {
		return nil // a page that may not be fetched may not be read from the cache
	}
	k := &cachedPage{private: p.Private, until: p.FreshUntil}
	k.url, k.redirects, k.status, k.body, k.incomplete, k.at = final, p.Redirects, p.Status, p.Body, p.Incomplete,
		p.FetchedAt
	k.header = http.Header{}
	for name, value := range map[string]string{"Content-Type": p.ContentType, "Etag": p.ETag,
		"Last-Modified": p.Modified} {
		if value != "" {
			k.header.Set(name, value)
		}
	}
	if media, params, err := mime.ParseMediaType(p.ContentType); err == nil && c.kind != "" {
		k.browser = params["browser"]
		delete(params, "browser")
		k.header.Set("Content-Type", mime.FormatMediaType(media, params))
	}
	return k
}

// revalidated updates the headers of a page that its server has confirmed. Without
// a new lifetime the page keeps the old one.
func (k *cachedPage) revalidated(answer http.Header) {
	k.header.Set("Cache-Control", "max-age="+strconv.Itoa(int(k.until.Sub(k.at)/time.Second)))
	for _, name := range []string{"Cache-Control", "Age", "Etag", "Last-Modified"} {
		if value := answer.Get(name); value != "" {
			k.header.Set(name, value)
		}
	}
}

// usable reports whether a page can be used without asking its server.
func (c *cache) usable(k *cachedPage, refresh bool) bool {
	now := c.f.env.Now()
	if refresh || now.Before(k.at) { // the clock was set back
		return false
	}
	return now.Before(k.until) || c.f.in.Start > 0 && now.Sub(k.at) < defaultFreshness
}

// keep adds a page to the cache unless its server forbids it. All users of the
// store share the cache, so it keeps no private pages and none that vary by more
// than the request.
func (c *cache) keep(address string, g *fetched, private bool) {
	fresh, ok := freshness(strings.Join(g.header.Values("Cache-Control"), ","))
	fresh = min(fresh, untilExpiry(g.header, g.at))
	ok = ok && !varies(g.header.Values("Vary"))
	if age, err := strconv.Atoi(g.header.Get("Age")); err == nil && age > 0 { // time spent in other caches
		fresh = max(0, fresh-time.Duration(min(age, 1<<30))*time.Second)
	}
	if c.off || c.fail != nil || !ok || len(g.body) > maxBody {
		return
	}
	contentType := g.header.Get("Content-Type")
	if c.kind != "" {
		contentType = mime.FormatMediaType("text/html", map[string]string{"charset": "utf-8", "browser": g.browser})
	}
	st, err := c.f.env.Store(c.ctx, tools.Changes)
	if err == nil {
		err = st.PutWebPage(c.ctx, webcache.WebPage{
			Key: c.key(address), URL: g.url.String(), Redirects: g.redirects, Status: g.status,
			ContentType: contentType, ETag: g.header.Get("ETag"),
			Modified:   g.header.Get("Last-Modified"),
			Incomplete: g.incomplete, Private: private, FetchedAt: g.at, FreshUntil: g.at.Add(fresh), Body: g.body,
		})
	}
	c.fail = err
}

// varies reports whether an answer depends on more than its request. Requests to
// an address differ only by the caller's own headers, which bypass the cache.
func varies(vary []string) bool {
	names := strings.Split(strings.Join(vary, ","), ",")
	return slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(name) == "*" })
}

// untilExpiry returns how long the Expires header lets a page be used, if no max-age beats it.
// One that is no date is in the past (RFC 9111, 5.3).
func untilExpiry(h http.Header, now time.Time) time.Duration {
	expires := h.Get("Expires")
	if expires == "" || strings.Contains(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), "max-age") {
		return maxFreshness
	}
	at, err := http.ParseTime(expires)
	if err != nil {
		return 0
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return max(at.Sub(now), 0)
}

// freshness parses a Cache-Control header. ok is false if the page may not be
// kept.
func freshness(control string) (fresh time.Duration, ok bool) {
	fresh = defaultFreshness
	for part := range strings.SplitSeq(strings.ToLower(control), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "no-store", "private":
			return 0, false
		case "no-cache":
			return 0, true
		case "max-age":
			if n, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil {
				fresh = min(max(time.Duration(min(n, 1<<30))*time.Second, 0), maxFreshness)
			}
		}
	}
	return fresh, true
}
