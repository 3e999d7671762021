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

// Key returns the key of a record.
func Key(number uint64) []byte { return Records.Number(number) }
