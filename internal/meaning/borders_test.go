package meaning

import (
	"strings"
	"testing"
)

// TestCrosses tells words of a text from characters that belong to several words.
func TestCrosses(t *testing.T) {
	for _, c := range []struct {
		text, part string
		crosses    bool
	}{
		{"東京都庁の展望台", "京都", true},
		{"日本人学校に通う", "本人", true},
		{"外国人参政権の議論", "人参", true},
		{"台所得意です", "所得", true},
		{"社会議題", "会議", true},
		{"市民主体の運動", "民主", true},
		{"中国民謡", "国民", true},
		{"駐車場所有者", "場所", true},
		{"名古屋大学生協", "学生", true},
		{"京都に行った", "京都", false},
		{"東京都京都市", "東京", false},
		{"経済学部の学生", "学部", false},
		{"京都大学", "京都", false},
		{"日本語教室", "日本", false},
		{"自動車保険証", "保険", false},
		{"運転免許証更新", "免許", false},
		{"営業部長に電話", "部長", false},
		{"小学校", "学校", false},
		{"山田太郎", "太郎", false},
		{"人事部長宅", "人事", false},
		{"歯医者予約", "医者", false},
		{"大学院生", "大学", false},
		{"関節", "関節", false},
		{"会社員だ", "会社", false},
	} {
		from := strings.LastIndex(c.text, c.part)
		if got := crosses(c.text, from, from+len(c.part)); got != c.crosses {
			t.Errorf("%s in %s: %v", c.part, c.text, got)
		}
	}
}
