package search

import "techo/store/kv"

// The kinds of damage of a search index.
const (
	DamagedIndex   kv.ReasonCode = "search index %d: %v"
	DamagedList    kv.ReasonCode = "search index %d, term %q: %v"
	MissingBlock   kv.ReasonCode = "a block is missing"
	WrongBlocks    kv.ReasonCode = "its blocks do not match its header"
	IllFormed      kv.ReasonCode = "a record is not well formed"
	MissingPosting kv.ReasonCode = "an entry is missing"
	MissingText    kv.ReasonCode = "missing text: %d"
	WrongOwner     kv.ReasonCode = "text with number %d: id %q and group %d instead of %q and %d"
	WrongTraits    kv.ReasonCode = "text with number %d: its time or kind is wrong"
	WrongTextCount kv.ReasonCode = "wrong count of texts: %d, length %d, instead of %d, length %d"
	WrongWaiting   kv.ReasonCode = "wrong count of new texts: %d instead of %d"
	NoListKind     kv.ReasonCode = "a list without a kind"
	WrongLists     kv.ReasonCode = "the lists of kind %c do not match the texts"
	WrongListCount kv.ReasonCode = "wrong count of entries: %d instead of %d"
)

func reason(code kv.ReasonCode, args ...any) kv.Reason { return kv.Reason{Code: code, Args: args} }
