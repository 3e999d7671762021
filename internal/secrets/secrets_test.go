package secrets

import (
	"os"
	"slices"
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

// TestMarks finds the marks of each expression in all texts that it matches.
func TestMarks(t *testing.T) {
	for _, name := range []string{"secrets.txt", "harmless.txt"} {
		for _, text := range samples(t, name) {
			text = strings.NewReplacer("⟦", "", "⟧", "").Replace(text)
			checkMarks(t, text)
			checkMarks(t, strings.ToUpper(text))
			checkMarks(t, strings.NewReplacer("s", "ſ", "k", "\u212a").Replace(text))
		}
	}
}

func checkMarks(t *testing.T, text string) {
	t.Helper()
	small := inSmallLetters(text)
	for _, p := range slices.Concat(shapes(), moreShapes(), clauses()) {
		if p.matcher.Get().MatchString(text) && !p.possible(small) {
			t.Errorf("%q matches %s without its marks", text, p.matcher.Get())
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("the password is hunter2 and https://a:b@c パスワード：x1234")
	f.Fuzz(func(t *testing.T, text string) {
		checkMarks(t, text)
		end := 0
		for _, s := range find(text) {
			if s.From < end || s.To <= s.From || s.To > len(text) {
				t.Fatalf("%q: %v after %d", text, s, end)
			}
			end = s.To
		}
	})
}

// TestSegments finds the same secrets in a long text, which is read in segments, as in its parts.
func TestSegments(t *testing.T) {
	var long strings.Builder
	want := 0
	for _, s := range samples(t, "secrets.txt") {
		before, rest, _ := strings.Cut(s, "⟦")
		value, after, _ := strings.Cut(rest, "⟧")
		part := before + value + after + "\n\nNothing is in this line.\n"
		if strings.Contains(strings.ToLower(part), "private key") {
			continue // it goes on to the end of the text
		}
		want += len(find(part))
		long.WriteString(part)
	}
	if got := len(find(long.String())); got != want || len(segments(long.String())) < 3 {
		t.Errorf("%d secrets in %d segments, want %d", got, len(segments(long.String())), want)
	}
}
