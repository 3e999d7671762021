package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"techo/tools"
	"techo/tools/internet"
)

// maxRobots limits the bytes of a robots.txt that are read (RFC 9309).
const maxRobots = 512 << 10

// checkRobots asks the robots.txt of the server whether the page may be fetched. A
// server without one allows all pages; one that fails allows none.
func (f *fetch) checkRobots(ctx context.Context) error {
	at := &url.URL{Scheme: f.url.Scheme, Host: f.url.Host, Path: "/robots.txt"}
	client := *f.client
	got, err := client.fetch(ctx, request{url: at, headers: http.Header{}, maxBytes: maxRobots})
	if err != nil {
		return f.explain(ctx, got, err)
	}
	switch {
	case got.status >= 500:
		return f.statusError(got)
	case got.status < 200 || got.status > 299:
		return nil
	}
	name, _, _ := strings.Cut(internet.Of(f.env).Agent, "/")
	target := f.url.EscapedPath()
	if target == "" {
		target = "/"
	}
	if f.url.RawQuery != "" {
		target += "?" + f.url.RawQuery
	}
	if !allowedByRobots(got.body, name, target) {
		return f.env.Fail(tools.Forbidden, "the robots.txt of %s does not allow this page", f.url.Host).
			WithHint(f.env.Hint("Leave out %s to fetch it anyway", tools.Field("robots")))
	}
	return nil
}

// allowedByRobots applies the rules for an agent, or those for all agents (RFC
// 9309). The longest matching rule counts, and of equal ones the one that allows.
func allowedByRobots(text []byte, agent, target string) bool {
	groups := map[bool][]robotsRule{} // by whether they name the agent
	var names []string
	inRules, named := false, false
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		key, value, ok := strings.Cut(string(line), ":")
		if !ok {
			continue
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			if inRules {
				names, inRules = nil, false
			}
			names = append(names, strings.ToLower(value))
			named = named || strings.EqualFold(value, agent)
		case "allow", "disallow":
			inRules = true
			rule := robotsRule{pattern: value, allows: key == "allow"}
			for _, name := range names {
				if value != "" && (name == "*" || name == strings.ToLower(agent)) {
					groups[name != "*"] = append(groups[name != "*"], rule)
				}
			}
		}
	}
	longest, allowed := -1, true
	for _, rule := range groups[named] {
		n := len(rule.pattern)
		if rule.matches(target) && (n > longest || n == longest && rule.allows) {
			longest, allowed = n, rule.allows
		}
	}
	return allowed
}

// robotsRule allows or disallows the paths that match a pattern.
type robotsRule struct {
	pattern string
	allows  bool
}

// maxStars limits the wildcards of a pattern.
const maxStars = 20

// matches reports whether a path begins with the pattern. "*" stands for any
// characters, "$" at the end for the end of the path.
func (r robotsRule) matches(target string) bool {
	pattern, whole := strings.CutSuffix(r.pattern, "$")
	parts := strings.SplitN(pattern, "*", maxStars)
	rest, ok := strings.CutPrefix(target, parts[0])
	if !ok {
		return false
	}
	for i, part := range parts[1:] {
		if whole && i == len(parts)-2 {
			return strings.HasSuffix(rest, part)
		}
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return !whole || rest == ""
}
