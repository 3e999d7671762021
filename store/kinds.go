package store

import (
	"slices"
	"sync"

	"techo/store/calendar"
	"techo/store/edit"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/memfile"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/question"
	"techo/store/receipt"
	"techo/store/replica"
	"techo/store/space"
	"techo/store/token"
	"techo/store/webcache"
)

// # The key space
//
// All records of a store share one ordered key space. The first two letters of
// a key are its prefix: one kind of record, or one index of a kind. The rest is
// the key within the kind. Package search has the prefixes of the search index, which
// begin with s; this table has all others. The package of a kind forms and reads
// its keys.
//
// Numbers are big-endian, so that they sort. A name, a tag and a user are NFC
// text; where more follows, their length precedes them as an unsigned varint.
// JSON and packed values hold the structs named below.
//
//	prefix rest of the key                  value
//	mi     id                               memo.record, JSON
//	mn     name                             id of the memo
//	mo     rank updated name                id: all memos, in the order of lists
//	mt     length tag rank updated name     id: the same for each tag of a memo
//	mu     updated name                     id: all memos, the latest first
//	mc                                      memo.Counts, JSON
//
//	fi     length user path                 memfile.record, JSON
//	fs     length user path                 bytes of the file and one, varint; 0 for a folder
//
//	cc     calendar                         event.Calendar, JSON
//	cn     name                             calendar, if that is not its name
//	ci     length calendar level start id   single event, packed
//	cb     length calendar level start id   series of events, packed likewise
//	cm     length calendar level start id   event.seriesFilter: whether a query must read the series
//	ce     id                               place of the event, JSON
//	cu     length calendar uid 0 occurrence id of the event
//	ch     group 0 id                       empty: alternatives that are held together
//
//	ct     length calendar id               to-do, packed
//	ca     id                               calendar of the to-do; cy of versions that had not cl, cw and cx
//	cd     length calendar uid 0 occurrence id of the to-do
//	cl     length calendar section … id     id of the to-do, in the order of lists
//	cw     length calendar uid 0 id         id of an open to-do that waits for the one with the UID
//	cx                                      todo.counts, JSON
//
//	cr     length calendar UID              address and ETag of an event at a service, with 0 between them
//
//	qi     number                           question.record, JSON; its id is q and the number
//	qk     key                              number: questions asked with an idempotency key
//	qp     number                           number: pending questions, the oldest first
//	qc                                      question.Counts, JSON
//
//	wp     id                               webcache.webRecord, JSON; the body is a file in the folder web
//	wt     fetched id                       empty: cached pages, the oldest first
//	wc                                      webcache.Counts, JSON
//
//	ue     number                           edit.record, JSON
//	uw     number file                      data to undo the change of one file, packed by tools/files
//	uc                                      edit.Counts, JSON
//
//	pk                                      the last number of a user, JSON
//	pu     user                             memory.UserRecord, JSON
//	pm     user# id                         memory.Record, JSON
//	ph     user# digest                     id of the memory with a text, unless the text determines the id
//	ps     user# session                    memory.SessionRecord, JSON
//	pl     user# session# time order        memories in time order, up to 128 in a value
//	po     user# scope topic                id of the memory with a topic
//	pr     user# old 0 new                  empty: ids of a superseded memory and of its replacement
//	px     user# time text#                 id of a memory that expires then
//	pj     user# text#                      id of a memory of the scope project
//	pd     user# digest                     1: a text that was removed for good
//	pv     user# letter text#               id of a memory for a review: a has others to compare, s has the
//	                                        hash of a file, c needs no confirmation
//	pt     length user turn                 memory.callCount, JSON
//	pt     length user 0 client             memory.callCount of a client, JSON
//
//	hc     number                           change of records, packed
//	hb     number part                      continuation of the previous values of a large change
//	hu     number                           number of the change that undid a change
//	hs                                      ledger.HistoryCounts, packed
//	hst                                     their numbers of changes by owner and family, packed
//
//	rk     length user key                  receipt of an idempotency key, JSON
//	rt     time receipt                     receipts by time; the keys of their entries in rx, each a text
//	rx     length record receipt            empty: a receipt that contains a record
//	tk     digest                           token.tokenRecord, JSON; digest is the SHA-256 of the secret
//
//	xn     name                             number of a shared space
//	xc                                      number: the last one that was assigned to a shared space
//	xu     length user name                 number of a shared space, and one byte: the role of the user
//	xi     length user name                 the same for an invitation that the user has not accepted
//	xd     number                           empty: a removed space that still has keys
//	xs     number key                       a key of a shared space: all of the above but pages, edits and tokens
//	xm                                      space.Record, JSON; within a shared space only
//
//	ys                                      replica.settings, JSON
//	ym     machine                          replica.peer, JSON
//	yg     machine number                   what a machine had seen at a segment, JSON
//	yv     letter length owner id           replica.entry of a record, JSON
//	yx     letter length owner length claim id    empty: a record that is not shown as it was said
//	yk     number                           replica.Conflict, JSON
//	yo     number piece                     a segment that may not be in the place yet
//	yp     letter length owner id           replica.mark: a record that has to be said, even if it is as it was
//
// rank is one byte, 5 − priority. updated is 8 bytes, milliseconds since 1970
// with all bits but the first inverted, so that the latest sorts first. A list
// therefore reads the entries that it shows and no more. user#, session# and
// text# are 4 bytes: numbers that are assigned once; session# 0 covers all
// sessions. scope is a letter, p or w for person and project. order is text# of
// the memory when it was added, 4 bytes. time is 8 bytes, milliseconds since 1970 with the sign bit
// inverted, and start likewise in seconds.
//
// level is one byte, the number of times that a quarter of an hour must be
// quadrupled to reach the length of the event, or the time from the first to
// the last occurrence of a series; 13 is a series without end. The events that
// overlap a window lie, on each level in use, between the window's start less
// the greatest length of the level and the window's end: one short scan each.
// Records of events lie in the index itself, so that events of one week are
// neighbours.

// schemas returns the kinds of records. Memories come first: repairing them
// clears the search index, which they share with memos.
var schemas = sync.OnceValue(func() *ledger.Schemas {
	all := ledger.Schemas{Erase: receipt.Erase, EraseWith: receipt.EraseWith, Purge: history.Purge,
		Purged: replica.NotePurge}
	all.All = slices.Concat([]ledger.Schema{memory.Schema(), memo.Schema(), memfile.Schema()}, calendar.Schemas(),
		[]ledger.Schema{question.Schema(), webcache.Schema(), edit.Schema(), history.Schema(), token.Schema(),
			receipt.Schema(),
			space.Schema(), replica.Schema()})
	return all.Prepared()
})
