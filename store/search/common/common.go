// Package common knows the words that say little: English function words, and pairs of
// hiragana that are mostly grammar.
package common

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Word reports whether a lower-case word is a function word.
func Word(word string) bool {
	_, found := slices.BinarySearch(commonWords[:], word)
	return found
}

// commonWords are English function words and the remainders of contractions,
// sorted.
var commonWords = [...]string{
	"a", "about", "above", "after", "again", "against", "all", "am", "an", "and",
	"any", "are", "aren", "as", "at", "be", "because", "been", "before", "being",
	"below", "between", "both", "but", "by", "can", "could", "couldn", "d", "did",
	"didn", "do", "does", "doesn", "doing", "don", "down", "during", "each", "few",
	"for", "from", "further", "had", "hadn", "has", "hasn", "have", "haven", "having",
	"he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "i",
	"if", "in", "into", "is", "isn", "it", "its", "itself", "just", "ll",
	"m", "me", "might", "more", "most", "must", "my", "myself", "no", "nor",
	"not", "now", "o", "of", "off", "on", "once", "only", "or", "other",
	"our", "ours", "ourselves", "out", "over", "own", "re", "s", "same", "shan",
	"she", "should", "shouldn", "so", "some", "such", "t", "than", "that", "the",
	"their", "theirs", "them", "themselves", "then", "there", "these", "they", "this", "those",
	"through", "to", "too", "under", "until", "up", "ve", "very", "was", "wasn",
	"we", "were", "weren", "what", "when", "where", "which", "while", "who", "whom",
	"why", "will", "with", "would", "wouldn", "y", "you", "your", "yours", "yourself",
	"yourselves",
}

// Pair reports whether a pair of hiragana is mostly a part of particles,
// auxiliaries and endings.
func Pair(pair string) bool {
	if pair != "" && pair[0] < utf8.RuneSelf {
		return false
	}
	for i := 0; i+len(pair) <= len(grammar); i += len("あ") {
		if grammar[i:i+len(pair)] == pair {
			return true
		}
	}
	return false
}

// grammar has the pairs as neighbours. Characters that are neighbours by chance are
// separated by a blank as wide as they are.
const grammar = "でした　ました　ます　です　している　ません　ない　なかった　" +
	"だった　たい　ですか　ますか　くださる　ください　いって　てから　" +
	"まで　より　には　では　とは　ので　のに　から　けど　だけ　など　" +
	"ような　ように　そうな　そうだ　でしょう　ましょう　かな　って　" +
	"という　こと　もの　これ　それ　あれ　どれ　この　その　あの　" +
	"どの　ここ　そこ　どこ　いつ　だれ　なに　なぜ　どう　どんな　" +
	"いくら　いくつ　ある　いる　なる　する　した　して　され　れる　" +
	"られ　せる　させ　にも　でも　とも　がい　おい　てい　てお　てき　" +
	"てく　てみ　てほ　たり　とき　ため　ほど　しか　のは　のが　のを　" +
	"のか　はい　くだ　はど　がど　をど　はい　はな　はだ　さん　くん　" +
	"ちゃん　さんの　くんの　さんは　さんが　"

// Informative reports whether a word in lower case is no English function word.
func Informative(word string) bool {
	word, _, _ = strings.Cut(word, "'")
	return len(word) > 1 && !Word(word)
}

// CalendarWord reports whether a term, a word without its ending, is the name of a month or a weekday.
func CalendarWord(term string) bool {
	switch term {
	case "januari", "februari", "march", "april", "mai", "june", "juli", "august", "septemb", "octob",
		"novemb", "decemb", "mondai", "tuesdai", "wednesdai", "thursdai", "fridai", "saturdai", "sundai":
		return true
	}
	return false
}
