package meaning

import "testing"

func TestKnown(t *testing.T) {
	for _, word := range []string{"play", "Trap", "plays", "trapped", "Hanako", "Kubernetes", "umbrella", "biggest"} {
		if !Known(word) {
			t.Errorf("%s is unknown", word)
		}
	}
	for _, word := range []string{"tomatto", "umbrela", "insurence", "Valensia", "definately", "birthdya", "", "#"} {
		if Known(word) {
			t.Errorf("%s is known", word)
		}
	}
}
