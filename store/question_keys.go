package store

// The prefixes of the keys of questions.
const (
	questionRecords  space = "qi"
	questionKeys     space = "qk"
	pendingQuestions space = "qp"
	questionCountKey space = "qc"
)

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
