package web

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"techo/export"
	"techo/store"
	"techo/tools"
)

// freshFor is how long a page counts as fresh when its server says nothing
// about it, and how long its further parts are read from what was fetched.
const freshFor = 15 * time.Minute

// longestFresh is how long a page is believed at most.
const longestFresh = 24 * time.Hour

// known is a page of the cache.
type known struct {
	got
	private bool // it came from an address that is not public
	until   time.Time
}

// cache is the store's cache of pages. Without a store, or when it fails, it
// keeps nothing, and pages are fetched all the same.
type cache struct {
	f    *fetch
	ctx  context.Context
	off  bool // nothing that a caller's own headers brought is kept
	fail error
}

func (f *fetch) openCache(ctx context.Context, sent http.Header) *cache {
	return &cache{f: f, ctx: ctx, off: len(sent) > 0 || f.env.Open == nil}
}

// key tells apart what a server may answer differently.
func (c *cache) key(address string) string {
	return c.f.env.Say(tools.Say{EN: "en ", JA: "ja "}) + address
}

// find returns a page that was kept, nil for none.
func (c *cache) find(address string) *known {
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
	if err != nil || p.Private && !c.f.client.allowed(final.Hostname(), portOf(final)) {
		return nil // what may not be fetched may not be read from here either
	}
	k := &known{private: p.Private, until: p.FreshUntil}
	k.url, k.redirects, k.status, k.body, k.incomplete, k.at = final, p.Redirects, p.Status, p.Body, p.Incomplete, p.FetchedAt
	k.header = http.Header{}
	for name, value := range map[string]string{"Content-Type": p.ContentType, "Etag": p.ETag, "Last-Modified": p.Modified} {
		if value != "" {
			k.header.Set(name, value)
		}
	}
	return k
}

// revalidated takes over what a server said when it confirmed a page; where it
// said nothing of how long that is fresh, it is so for as long as it was.
func (k *known) revalidated(said http.Header) {
	k.header.Set("Cache-Control", "max-age="+strconv.Itoa(int(k.until.Sub(k.at)/time.Second)))
	for _, name := range []string{"Cache-Control", "Age", "Etag", "Last-Modified"} {
		if value := said.Get(name); value != "" {
			k.header.Set(name, value)
		}
	}
}

// usable reports whether a page may be taken without asking its server.
func (c *cache) usable(k *known, refresh bool) bool {
	now := c.f.env.Now()
	if refresh || now.Before(k.at) { // a clock that was set back
		return false
	}
	return now.Before(k.until) || c.f.in.Start > 0 && now.Sub(k.at) < freshFor
}

// keep puts a page into the cache, unless its server forbids it.
func (c *cache) keep(address string, g *got, private bool) {
	fresh, ok := freshness(g.header.Get("Cache-Control"))
	if age, err := strconv.Atoi(g.header.Get("Age")); err == nil && age > 0 { // in another cache before
		fresh = max(0, fresh-time.Duration(min(age, 1<<30))*time.Second)
	}
	if c.off || c.fail != nil || !ok || len(g.body) > maxBody {
		return
	}
	st, err := c.f.env.Store(c.ctx, tools.Changes)
	if err == nil {
		err = st.KeepWebPage(c.ctx, store.WebPage{
			Key: c.key(address), URL: g.url.String(), Redirects: g.redirects, Status: g.status,
			ContentType: g.header.Get("Content-Type"), ETag: g.header.Get("ETag"), Modified: g.header.Get("Last-Modified"),
			Incomplete: g.incomplete, Private: private, FetchedAt: g.at, FreshUntil: g.at.Add(fresh), Body: g.body,
		})
	}
	c.fail = err
}

// freshness reads the header Cache-Control; ok is false when nothing is to be
// kept.
func freshness(control string) (fresh time.Duration, ok bool) {
	fresh = freshFor
	for part := range strings.SplitSeq(strings.ToLower(control), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "no-store":
			return 0, false
		case "no-cache":
			return 0, true
		case "max-age":
			if n, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil {
				fresh = min(max(time.Duration(min(n, 1<<30))*time.Second, 0), longestFresh)
			}
		}
	}
	return fresh, true
}

// save writes the body to the file that the person named: all of it, or
// nothing.
func (f *fetch) save(r *response) error {
	path := f.env.Web.Save
	switch {
	case r.large:
		return f.env.Fail(tools.LimitExceeded, tools.Say{EN: "the body has more than %d MB; nothing was saved", JA: "本体が %d MB を超えるため、保存しませんでした"}, maxSaved>>20)
	case r.incomplete:
		e := f.env.Fail(tools.Upstream, tools.Say{EN: "the body broke off after %d bytes; nothing was saved", JA: "本体が %d バイトで途切れたため、保存しませんでした"}, len(r.body))
		e.Retryable = true
		return e
	}
	err := export.File(path, r.body)
	if reason := new(fs.PathError); errors.As(err, &reason) && !errors.Is(err, syscall.ENOSPC) {
		e := f.env.Fail(tools.InvalidInput, tools.Say{EN: "cannot write %s: %v", JA: "%s に書き込めません: %v"}, path, reason.Err)
		e.Details = []tools.Detail{{Path: "/save", Message: e.Message}}
		return e.WithHint(f.env.Say(tools.Say{EN: "Name a file in a folder that is there", JA: "既存のフォルダ内のファイルを指定してください"}))
	}
	return err
}
