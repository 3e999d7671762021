package page

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestChatView checks that each view is one document that needs nothing else, small enough for
// hosts, in both languages.
func TestChatView(t *testing.T) {
	foreign := regexp.MustCompile(`https?://|\b(?:src|href)=|\burl\(|\bimport\b|\bfetch\(|localStorage|innerHTML\s*=`)
	for _, name := range chatViews {
		for lang, word := range map[string]string{"en": `"A question":"A question"`, "ja": `"A question":"質問"`} {
			document, ok := ChatView(name, lang)
			if !ok || !strings.Contains(document, `<html lang="`+lang+`">`) || !strings.Contains(document, word) ||
				!strings.Contains(document, `data-view="`+name+`"`) {
				t.Errorf("%s in %s: %.300s", name, lang, document)
			}
			if n := len(document); n > 56<<10 {
				t.Errorf("%s in %s has %d bytes", name, lang, n)
			}
			if dir := os.Getenv("TECHO_TEST_PICTURES"); dir != "" {
				os.WriteFile(dir+"/"+name+lang+".html", []byte(document), 0o600)
			}
		}
	}
	own := chat().scripts[len(chat().scripts)-1]
	if found := foreign.FindAllString(own, -1); found != nil {
		t.Errorf("the script has %q", found)
	}
	for _, s := range chat().scripts {
		if regexp.MustCompile(`(?i)</script|<!--`).MatchString(s) {
			t.Error("a script ends in its middle")
		}
	}
	if _, ok := ChatView("../index", "en"); ok {
		t.Error("there are views of any name")
	}
}
