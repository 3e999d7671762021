package ledger

// Kind names a kind of record, for errors and reports.
type Kind string

// The kinds of records, and of what belongs to one.
const (
	KindMemo       Kind = "memo"
	KindTag        Kind = "tag" // of memos
	KindMemory     Kind = "memory"
	KindMemoryFile Kind = "memory file"
	KindUser       Kind = "user"    // of memories
	KindSession    Kind = "session" // of memories
	KindEvent      Kind = "event"
	KindTodo       Kind = "todo"
	KindCalendar   Kind = "calendar"
	KindQuestion   Kind = "question"
	KindWebPage    Kind = "web page"
	KindEdit       Kind = "edit" // of files
	KindFile       Kind = "file"
	KindChange     Kind = "change" // of the history
	KindToken      Kind = "token"
	KindReceipt    Kind = "receipt" // of an idempotency key
	KindSpace      Kind = "space"   // shared by several users
)

// KindLetters are the kinds in keys and in records of the history. They must never change.
var KindLetters = map[Kind]byte{
	KindMemo: 'm', KindMemory: 'p', KindEvent: 'e', KindTodo: 't', KindQuestion: 'q', KindFile: 'f',
	KindSpace: 's', KindCalendar: 'c', KindMemoryFile: 'd',
}

func kindOfLetter(letter byte) (Kind, bool) {
	for k, l := range KindLetters {
		if l == letter {
			return k, true
		}
	}
	return "", false
}

// families maps the kinds of records in the history to families of tools.
var families = map[Kind]string{
	KindMemo: "memo", KindMemory: "memory", KindEvent: "calendar", KindTodo: "calendar", KindQuestion: "ask",
	KindFile: "files", KindSpace: "space", KindCalendar: "calendar", KindMemoryFile: "memory",
}
