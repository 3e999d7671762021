package store

import "crypto/sha256"

// # Questions

func questionKey(number uint64) []byte { return questionRecords.number(number) }

// questionIndex returns the keys of a question's index entries.
func questionIndex(q *Question) (keys [][]byte) {
	if q.Key != "" {
		keys = append(keys, questionKeys.key(q.Key))
	}
	if q.Status == Pending {
		keys = append(keys, pendingQuestions.number(questionNumber(q.ID)))
	}
	return keys
}

// # Web pages

// webID returns the id of the page that was requested under a key.
func webID(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:16]
}

func webKey(id []byte) []byte { return webRecords.key(string(id)) }

func webAgeKey(id []byte, fetched int64) []byte {
	return append(webPageAges.number(uint64(fetched)), id...)
}
