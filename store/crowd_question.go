package store

import "techo/store/kv"

// # Questions in a database
//
// In a folder the questions have consecutive numbers, and a key has the last one and the
// number of those that are pending. All that ask would change it. In a database a question
// has the time of the database's clock as its number, as a change has, so the later one has
// the higher number. The questions are counted when somebody wants to know, and one of
// settleEvery questions ends some that have expired.

// settleEvery is how many questions of a database are asked for each look at expired ones.
const settleEvery = 16

// firstStamped is less than any number of the clock, and greater than a folder's own numbers.
const firstStamped = 1 << 40

// nextQuestion returns the number of a new question. At a given time, questions in a
// database are numbered one after the other too, so that the same calls have the same
// results in every store; their transactions meet.
func nextQuestion(tx kv.Tx, counts QuestionCounts, given bool) (uint64, error) {
	crowd, _ := crowdOf(tx)
	switch {
	case crowd == nil:
		return counts.Last + 1, nil
	case !given:
		return crowd.Stamp()
	}
	last, err := lastQuestion(tx)
	if err != nil {
		return 0, err
	}
	return last + 1, save(tx, questionCountKey.all(), QuestionCounts{Last: last + 1})
}

// lastQuestion returns the number of the last question in a database. Without the clock, an
// undo may have removed that question.
func lastQuestion(tx kv.Tx) (last uint64, err error) {
	c, err := storedQuestionCounts(tx)
	if err != nil {
		return 0, err
	}
	for item, err := range tx.Scan(kv.Range{Prefix: questionRecords.all(), Reverse: true, Limit: 1, KeysOnly: true}) {
		if err != nil {
			return 0, err
		}
		last, _ = cutNumber(rest(item.Key))
	}
	return max(last, c.Last), nil
}

// save saves the counts of a folder.
func (c QuestionCounts) save(tx kv.Tx) error {
	if crowded(tx) {
		return nil
	}
	return save(tx, questionCountKey.all(), c)
}

// questionTotal counts the questions of a store.
type questionTotal struct{ all, pending int }

func questionTotals(tx kv.Tx) (q questionTotal, err error) {
	if !crowded(tx) {
		c, err := loadQuestionCounts(tx)
		return questionTotal{int(c.Last), c.Pending}, err
	}
	all, err := measure(tx, questionRecords.all(), pendingQuestions.all())
	if err != nil {
		return q, err
	}
	return questionTotal{int(all[0].Keys), int(all[1].Keys)}, nil
}

// countedQuestions returns the counts that a folder with the questions of a database has.
func countedQuestions(tx kv.Tx) (c QuestionCounts, err error) {
	total, err := questionTotals(tx)
	if err != nil {
		return c, err
	}
	c.Pending = total.pending
	c.Last, err = lastQuestion(tx)
	return c, err
}
