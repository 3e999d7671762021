package speech

import (
	"slices"
	"strings"
	"unicode"
)

// states are what people ask about and rarely tell. They ask for a state (where do I live?), and
// tell the event that began it (I moved to Osaka). Each has lines of words, and a question
// has all words of a line; and words of the events.
var states = []struct {
	asked []string
	told  string
}{
	{[]string{"where do live", "where does live", "where living", "what address",
		"どこ 住", "どこ 暮ら", "住まい"},
		"moved to a new house, apartment, address, city, 引っ越した 住所"},
	{[]string{"where work", "what job", "who employer", "what do living",
		"どこ 働", "どこ 勤め", "勤め先", "仕事 何", "職業"},
		"joined a company as an employee, job, office, 入社 転職 会社"},
	{[]string{"what drive", "what car", "which car", "どんな 車", "車種", "何 運転"},
		"bought a car, vehicle, 車 買った"},
	{[]string{"where from", "where grow", "出身"}, "born and raised, grew up, hometown, 生まれ 育った"},
	{[]string{"where study", "what study", "which school", "どこ 学校", "どこ 大学", "何 専攻"},
		"enrolled at a university, student, degree, 入学 専攻"},
	{[]string{"what pet", "which pet", "ペット 何", "何 飼"},
		"adopted a dog, puppy, cat, 犬 猫 飼い始めた"},
}

// mostAsked is the number of bytes of a question that may ask for a state.
const mostAsked = 36

// Told returns words of the events that begin the state that a short question asks for, "" for none.
// A question with a name has none: the name finds its answers.
func Told(question string) string {
	named := func(word string) bool { return word[0] >= 'A' && word[0] <= 'Z' && word != "I" && word != "I'm" }
	all := strings.Fields(question)
	if len(question) > mostAsked || len(all) == 0 || slices.ContainsFunc(all[1:], named) {
		return ""
	}
	question = strings.ToLower(question)
	words := strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) })
	has := func(word string) bool {
		return slices.Contains(words, word) || word[0] >= 0x80 && strings.Contains(question, word)
	}
	for _, s := range states {
		for _, line := range s.asked {
			if !slices.ContainsFunc(strings.Fields(line), func(word string) bool { return !has(word) }) {
				return s.told
			}
		}
	}
	return ""
}
