package store

// The prefixes of the keys of receipts.
const (
	receiptRecords space = "rk"
	receiptAges    space = "rt"
	recordReceipts space = "rx"
)

func receiptKey(user, key string) []byte { return append(receiptRecords.named(user), key...) }

// receiptAgeKey is the key of a receipt among the receipts by time.
func receiptAgeKey(at int64, receipt []byte) []byte {
	return append(receiptAges.number(uint64(at)), rest(receipt)...)
}

// recordReceiptPrefix begins the keys of the receipts that contain a record. A
// letter stands for its kind.
func recordReceiptPrefix(letter byte, record string) []byte {
	return recordReceipts.named(string(letter) + record)
}
