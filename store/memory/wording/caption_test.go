package wording

import (
	"strings"
	"testing"
)

func TestCaption(t *testing.T) {
	long := strings.Repeat("あ", 100)
	for text, want := range map[string]string{
		"Max is a dog. He barks.": "Max is a dog.",
		"v1.2 is out! Yes":        "v1.2 is out!",
		"  two\n lines ":          "two lines",
		"犬の名前はマックス。三年前に来た。": "犬の名前はマックス。",
		"no  end\tat   all":                 "no end at all",
		long:                                long[:79*3] + "…",
		strings.Repeat("a ", 1<<16):         strings.Repeat("a ", 39) + "a…",
		"":                                  "",
		"\xe3\x81":                          "",
		"Hi!":                               "Hi!",
		"はい。":                               "はい。",
		"Dr. Smith is Anna's dentist. Nice": "Dr. Smith is Anna's dentist.",
		"Mr. and Mrs. Sato moved to Kobe.":  "Mr. and Mrs. Sato moved to Kobe.",
		"J. K. Rowling wrote it. Yes.":      "J. K. Rowling wrote it.",
		"Room No. 5 is booked on Jan. 3. Bring e.g. a pen.": "Room No. 5 is booked on Jan. 3.",
		"1. Buy milk for Tanaka. 2. Call Ken.":              "Buy milk for Tanaka.",
		"1. Buy milk. 2. Call Ken about the trip.":          "Buy milk. 2. Call Ken about the trip.",
		"Hi! How are you? I moved to Lisbon last week.":     "I moved to Lisbon last week.",
		"Yes. The deploy key is in the vault.":              "The deploy key is in the vault.",
		"Anna: Hey Mel! Good to see you! I adopted a cat.":  "Anna: I adopted a cat.",
		"# Wifi\n\nThe password is hunter2.":                "Wifi The password is hunter2.",
		"No. He left Acme in May.":                          "He left Acme in May.",
		"\"Ready?\" Ken asked Tom about the launch.":        "\"Ready?\" Ken asked Tom about the launch.",

		"こんにちは！お久しぶりです。京都へ越しました。": "京都へ越しました。",
		"うん、そうだね。りんごアレルギーがある。":    "りんごアレルギーがある。",
	} {
		if got := CaptionOf(text); got != want {
			t.Errorf("CaptionOf(%.60q) = %q, want %q", text, got, want)
		}
	}
}

// TestStaleCaption checks which captions are derived again when a text changes.
func TestStaleCaption(t *testing.T) {
	for _, c := range []struct {
		caption, old, text string
		want               bool
	}{
		{"Sarah lives in Berlin.", "Sarah lives in Berlin.", "Sarah lives in Lisbon.", true},
		{"Dr.", "Dr. Smith is the dentist.", "Dr. Jones is the dentist.", true},
		{"Home: Berlin", "Sarah lives in Berlin.", "Sarah lives in Lisbon.", true},
		{"Where Sarah is at home", "Sarah lives in Berlin.", "Sarah lives in Lisbon.", false},
		{"住まい（東京）", "さくらは東京に住む。", "さくらは大阪に住む。", true},
		{"さくらの住まい", "さくらは東京に住む。", "さくらは大阪に住む。", false},
	} {
		if got := StaleCaption(c.caption, c.old, c.text); got != c.want {
			t.Errorf("StaleCaption(%q, %q, %q) = %v", c.caption, c.old, c.text, got)
		}
	}
}

// TestOpenings checks that no opening has more words than opens allows for.
func TestOpenings(t *testing.T) {
	for _, o := range openings {
		if words := append(firstWords(o, mostOpening), "my", "old", "friend"); !opens(words) {
			t.Errorf("%q opens nothing", words)
		}
		if words := append(firstWords(o, mostOpening), "we", "moved", "to", "Kobe"); opens(words) {
			t.Errorf("%q is no opening", words)
		}
	}
}
