package romaji

import "testing"

func TestIs(t *testing.T) {
	for _, word := range []string{"sato", "Satoh", "hanako", "hanada", "Kyouko", "junpei", "shinji", "matsumoto",
		"hattori", "zyun", "Ryo", "honma", "homma", "tsuchiya", "kinnpatsu"} {
		if !Is(word) {
			t.Errorf("%s is not", word)
		}
	}
	for _, word := range []string{"", "tanaka's", "Valensia", "smith", "Tnaka", "strasse", "plan", "q", "lola", "sh"} {
		if Is(word) {
			t.Errorf("%s is", word)
		}
	}
}
