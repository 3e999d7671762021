package store

// Kind names a kind of record, for errors and reports.
type Kind string

// The kinds of records, and of what belongs to one.
const (
	KindMemo     Kind = "memo"
	KindTag      Kind = "tag" // of memos
	KindMemory   Kind = "memory"
	KindUser     Kind = "user"    // of memories
	KindSession  Kind = "session" // of memories
	KindEvent    Kind = "event"
	KindTodo     Kind = "todo"
	KindCalendar Kind = "calendar"
	KindQuestion Kind = "question"
	KindWebPage  Kind = "web page"
	KindEdit     Kind = "edit" // of files
	KindFile     Kind = "file"
	KindChange   Kind = "change" // of the history
	KindToken    Kind = "token"
	KindReceipt  Kind = "receipt" // of an idempotency key
	KindSpace    Kind = "space"   // shared by several users
)
