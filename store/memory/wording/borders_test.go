package wording

import "testing"

// TestCrossed: a memory that has only parts of the words of a question does not match.
func TestCrossed(t *testing.T) {
	for _, c := range []struct {
		question, memory string
		likeness         float32
		crossed          bool
	}{
		{"本人", "課金フラグは本番で有効。", 0, true},
		{"本人", "本は机の上。", 0, true},
		{"本人", "人は本を読む。", 0, true},
		{"日本人はどこ？", "課金フラグは本番で有効。", 0, true},
		{"旅行の予定", "旅館を予約した。", 0, true},
		{"本人", "本人に確認した。", 0, false},
		{"本人", "日本人学校に通っていた。", 0, true},
		{"本", "課金フラグは本番で有効。", 0, false},
		{"本を読んだ？", "本は机の上。", 0, false},
		{"何を読む？", "小説を読んだ。", 0, false},
		{"住所", "大阪に住んでいる。", 0.4, false},
		{"京都", "東京都庁の展望台に登った。", 0.4, true},
		{"京都", "京都大学を訪ねた。", 0, false},
		{"本人 billing", "The billing flag is on.", 0, false},
		{"billing", "The billing flag is on.", 0, false},
	} {
		q := Question{Text: c.question}
		if got := q.Crossed(c.likeness, func() []string { return []string{c.memory} }); got != c.crossed {
			t.Errorf("%s: %s: %v", c.question, c.memory, got)
		}
	}
}
