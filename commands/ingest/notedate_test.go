package ingest

import (
	"strings"
	"testing"
	"time"
)

// changed is when the file of a note was changed: later than most of its days.
var changed = time.Date(2026, 6, 10, 9, 30, 0, 0, time.UTC)

// TestNamedTimes reads the days in names; "" is none.
func TestNamedTimes(t *testing.T) {
	for name, want := range map[string]string{
		"2026-03-14.md": "2026-03-14", "a/2026_03_14.md": "2026-03-14", "20260314.md": "2026-03-14", "2026.3.14.md": "2026-03-14",
		"2026-03-14 Saturday.md": "2026-03-14", "2026-03-14-sat.md": "2026-03-14", "2026年3月14日.md": "2026-03-14",
		"2026年03月14日（土）.md": "2026-03-14", "令和8年3月14日.md": "2026-03-14", "March 14th, 2026.md": "2026-03-14",
		"14.03.2026.md": "2026-03-14", "2026-03-14_meeting.md": "2026-03-14", "Meeting 2026-03-14.md": "2026-03-14",
		"2026-03-14-a-post.md": "2026-03-14", "202603141530 Idea.md": "2026-03-14", "打ち合わせ 2026年3月14日.md": "2026-03-14",
		"Journal/2026/03/14.md": "2026-03-14", "2026/3/14.md": "2026-03-14", "2026/03-March/14.md": "2026-03-14",
		"日記/2026年/3月/14日.md": "2026-03-14", "2026/March/14 Sat.md": "2026-03-14", "2026-03/14.md": "2026-03-14",
		"2026年3月/14日（土）.md": "2026-03-14", "2026/03-14.md": "2026-03-14", "2026/0314.md": "2026-03-14",
		"2026/3月14日.md": "2026-03-14", "2026/03/14/standup.md": "2026-03-14", "2026-03-14/notes.md": "2026-03-14",
		"2026/03/2026-03-14.md": "2026-03-14", "2027-01-01.md": "2027-01-01", "1999-12-31.md": "1999-12-31",
		// The file is of that time.
		"2026-06.md": "2026-06-10", "2026/06.md": "2026-06-10", "2026年5月.md": "2026-05-31", "2026-W11.md": "2026-03-15",
		"2027-02.md": "2027-02-01", "from 2026-03-14 to 2026-03-20.md": "2026-03-20",
		// No day that all would read, or none at all.
		"03-04-2026.md": "", "04/05.md": "", "1984.md": "", "Plan for 2027-01-01.md": "",
		"yesterday.md": "", "Friday.md": "", "3月14日.md": "", "2026/03/3 ideas.md": "", "2026/03/notes.md": "", "2026-13-14.md": "",
		"1712345678.md": "", "room 2026.md": "", "2026-02-30.md": "", "v2026.1.md": "", "12026-03-14.md": "", "note.md": "",
		"2026/14.md": "", "2027/01/01/plan.md": "", "Q2.md": "", "2026.md": "",
	} {
		at, ok := namedTime("/home/ann/vault/"+name, changed, time.UTC)
		got := at.Format(time.DateOnly)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestFrontDates reads front matter; "" is the time of the file.
func TestFrontDates(t *testing.T) {
	for front, want := range map[string]string{
		"date: 2025-04-01": "2025-04-01T00:00:00Z", "date created: 2025-04-01": "2025-04-01T00:00:00Z",
		"Date Created: 2025-04-01 10:30": "2025-04-01T10:30:00Z", "createdAt: 2025-04-01T10:30:00+09:00": "2025-04-01T01:30:00Z",
		"created-at: '2025/04/01'": "2025-04-01T00:00:00Z", "creation_date: 2025.04.01": "2025-04-01T00:00:00Z",
		`date: "[[2025-04-01]]"`: "2025-04-01T00:00:00Z", "date: [[2025-04-01]]": "2025-04-01T00:00:00Z",
		"created:\n  - \"[[2025-04-01]]\"": "2025-04-01T00:00:00Z", "作成日: 2025-04-01": "2025-04-01T00:00:00Z",
		"作成日時: 2025年4月1日 10時30分": "2025-04-01T10:30:00Z", "日付: 2025年4月1日（火）": "2025-04-01T00:00:00Z",
		"日付: 令和7年4月1日": "2025-04-01T00:00:00Z", "date: April 1, 2025": "2025-04-01T00:00:00Z",
		"date: 1st April 2025": "2025-04-01T00:00:00Z", "date: Tue, 1 Apr 2025 10:30:00 +0900": "2025-04-01T01:30:00Z",
		"created: 1743503400": "2025-04-01T10:30:00Z", "created: 1743503400000": "2025-04-01T10:30:00Z",
		"created: 20250401": "2025-04-01T00:00:00Z", "created: 202504011030": "2025-04-01T10:30:00Z",
		"created: 2025-04-01 10:30:00Z": "2025-04-01T10:30:00Z", "pubDate: 2025-04-01": "2025-04-01T00:00:00Z",
		"公開日: 2025-04-01": "2025-04-01T00:00:00Z", "更新日: 2025-04-01": "2025-04-01T00:00:00Z",
		"timestamp: 2025-04-01T10:30:00Z":  "2025-04-01T10:30:00Z",
		"title: a: b\ncreated: 2025-04-01": "2025-04-01T00:00:00Z", // no YAML
		// What says when it was made counts most.
		"updated: 2025-05-01\ncreated: 2025-04-01\ndate: 2025-04-15": "2025-04-01T00:00:00Z",
		"modified: 2025-05-01\ndate: 2025-04-01":                     "2025-04-01T00:00:00Z",
		// No time, two readings, a time that depends on the day.
		"date: 04/05/2025": "", "date: soon": "", "date: yesterday": "", "date: 3pm": "", "date: 2025-02-30": "", "date:": "",
		"due: 2025-04-01": "", "birthday: 2025-04-01": "", "date: [a, b]": "",
	} {
		made, _ := note("---\n"+front+"\n---\nText", changed, time.UTC)
		got := made.CreatedAt
		if want == "" {
			want = changed.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", strings.ReplaceAll(front, "\n", " / "), got, want)
		}
	}
}
