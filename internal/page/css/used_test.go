package css

import (
	"strings"
	"testing"
)

// TestUsed checks which rules are dropped because the page lacks a name in them.
func TestUsed(t *testing.T) {
	for source, want := range map[string]map[string]bool{
		`<p class="a b" id=c>`: {".a": true, ".b.a>#c": true, "#a": true, ".d": false, "p .d": false, "#d p": false,
			".d:not(.a)": false, ":not(.d)": true, "[class=d]": true, `.d\:e`: true, ".a .d": false, "p": true},
		"<p CLASS = 'a'>":                                {".a": true, ".b": false},
		"<p class=a>b":                                   {".a": true, ".b": false},
		"<p class=\ta/>":                                 {".b": false},
		"<noscript><p class=a>":                          {".a": true, ".b": false},
		`<p title="x" class="a`:                          {".b": true},
		`<p class=="a">`:                                 {".b": true},
		"<p class=\"a\u00a0b\">":                         {".c": true},
		`<p class="a&#98; [&amp;_p] &lt;c">`:             {".ab": true, ".c": false},
		`<p class='&ampx=1 &ampx'>`:                      {".c": false},
		`<a href="?id=1&class=a">`:                       {".a": false, ".c": false},
		"<p class" + strings.Repeat(" ", maxGap) + "=a>": {".a": true, ".c": true},
		"<p class" + strings.Repeat(" ", 50) + "=a>":     {".a": true, ".c": false},
		`<p title=x"class="a">`:                          {".a": true},
		"<p class\u00a0=\u00a0'a b'>":                    {".a": true, ".c": false},
		"<p id='a b'>":                                   {"#a": false},
	} {
		u := usedNames(source)
		for selector, may := range want {
			if got := u.mayMatch(selector); got != may {
				t.Errorf("%s in %s: %v", selector, source, got)
			}
		}
	}
}
