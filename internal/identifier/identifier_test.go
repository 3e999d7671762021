package identifier

import "testing"

func TestIn(t *testing.T) {
	for text, want := range map[string]bool{
		"where is getUser": true, "commit 8c1d2e3f": true, "0x7fff": true, "user_by_id": true, `"dark mode"`: true,
		"「暗いモード」": true, "call 5550142": true, "node.js": true, "the H100 cluster": true,
		"": false, "where do I live": false, "at 3pm on the 2nd": false, "in 2023": false, "Who is Sato?": false,
		"明日の3時": false,
	} {
		if got := In(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
