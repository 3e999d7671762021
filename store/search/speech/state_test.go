package speech

import "testing"

// TestTold: short questions for a state have words of its beginning, others have none.
func TestTold(t *testing.T) {
	for _, question := range []string{"Where do I live?", "どこに住んでいますか", "what is my job",
		"仕事は何？", "What car do I have?", "Where do I work now?"} {
		if Told(question) == "" {
			t.Errorf("%s: nothing", question)
		}
	}
	for _, question := range []string{"Who likes ramen?", "プルーストの出身は何という町ですか", "",
		"Where does Mara live?", "where is the live recording",
		"Where did the team live before it moved to another town?"} {
		if got := Told(question); got != "" {
			t.Errorf("%s: %q", question, got)
		}
	}
}
