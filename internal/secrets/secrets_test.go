package secrets

import (
	"os"
	"strings"
	"testing"
)

// samples returns the paragraphs of a file: lines, or several up to one that ends a mark.
func samples(t *testing.T, name string) (all []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	open := ""
	for line := range strings.Lines(string(text)) {
		if open == "" && strings.HasPrefix(line, "#") {
			continue
		}
		if open += line; strings.Count(open, "⟦") == strings.Count(open, "⟧") {
			all = append(all, strings.TrimSuffix(open, "\n"))
			open = ""
		}
	}
	return all
}

// TestSecrets hides all secrets, and touches at most 2 of 200 harmless texts.
func TestSecrets(t *testing.T) {
	all := samples(t, "secrets.txt")
	if len(all) < 93 {
		t.Errorf("%d forms", len(all))
	}
	for _, s := range all {
		before, rest, _ := strings.Cut(s, "⟦")
		value, after, _ := strings.Cut(rest, "⟧")
		bare := strings.Trim(value, `"'`)
		if got := Hide(before+value+after, "…"); strings.Contains(got, bare) || !strings.Contains(got, "…") {
			t.Errorf("%q is not hidden", s)
		} else if before != "" && !strings.HasPrefix(got, before[:len(before)/2]) {
			t.Errorf("%q became %q", s, got)
		}
	}
	all = samples(t, "harmless.txt")
	if len(all) < 200 {
		t.Errorf("%d harmless texts", len(all))
	}
	const most = 2
	var touched []string
	for _, s := range all {
		if got := Hide(s, "…"); got != s {
			touched = append(touched, s+" → "+got)
		}
	}
	if len(touched) > most {
		t.Errorf("%d harmless texts are touched:\n%s", len(touched), strings.Join(touched, "\n"))
	}
}

func FuzzFind(f *testing.F) {
	f.Add("the password is hunter2 and https://a:b@c パスワード：x1234")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, s := range Find(text) {
			if s.From < end || s.To <= s.From || s.To > len(text) {
				t.Fatalf("%q: %v after %d", text, s, end)
			}
			end = s.To
		}
	})
}
