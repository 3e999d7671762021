package question

import (
	"techo/store/ledger"
)

// The prefixes of the keys of questions.
const (
	Records  ledger.Prefix = "qi"
	Keys     ledger.Prefix = "qk"
	Pendings ledger.Prefix = "qp"
	CountKey ledger.Prefix = "qc"
)

func Key(number uint64) []byte { return Records.Number(number) }

// questionIndex returns the keys of a question's index entries.
func questionIndex(q *Question) (keys [][]byte) {
	if q.Key != "" {
		keys = append(keys, Keys.Key(q.Key))
	}
	if q.Status == Pending {
		keys = append(keys, Pendings.Number(Number(q.ID)))
	}
	return keys
}
