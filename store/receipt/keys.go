package receipt

import (
	"techo/store/ledger"
)

// The prefixes of the keys of receipts.
const (
	Records        ledger.Prefix = "rk"
	ages           ledger.Prefix = "rt"
	recordReceipts ledger.Prefix = "rx"
)

// Key returns the key of a record.
func Key(user, key string) []byte { return append(Records.Named(user), key...) }

// AgeKey is the key of a receipt among the receipts by time.
func AgeKey(at int64, receipt []byte) []byte {
	return append(ages.Number(uint64(at)), ledger.Rest(receipt)...)
}

// RecordReceiptPrefix begins the keys of the receipts that contain a record. A
// letter stands for its kind.
func RecordReceiptPrefix(letter byte, record string) []byte {
	return recordReceipts.Named(string(letter) + record)
}
