package web

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// target returns the URL that a text means. A host without a scheme, as typed into a
// browser, is read by https.
func target(text string) string {
	text = strings.TrimSpace(text)
	if isHostAlone(text) {
		return "https://" + text
	}
	return text
}

// isHostAlone reports whether a text is a URL without its scheme: a host with a dot,
// localhost or an address, which a port and a path may follow.
func isHostAlone(text string) bool {
	u, err := url.Parse("https://" + text)
	if err != nil || u.User != nil || strings.ContainsFunc(text, unicode.IsSpace) {
		return false
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || strings.EqualFold(host, "localhost") {
		return true
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	top := strings.ToLower(labels[len(labels)-1])
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	if len(labels) < 2 || slices.Contains(labels, "") || utf8.RuneCountInString(top) < 2 ||
		!strings.HasPrefix(top, "xn--") && strings.ContainsFunc(top, notLetter) {
		return false
	}
	return host != text || !slices.Contains(documents(), top)
}

// documents are the ends of names that are files before they are hosts: readme.md, if
// there is no such file here, is not to be fetched from a stranger.
func documents() []string {
	return []string{"atom", "csv", "htm", "html", "json", "md", "mht", "mhtml", "pdf", "rss", "txt", "xht", "xhtml",
		"xml", "zip"}
}
