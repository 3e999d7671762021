package claims

import (
	"testing"
)

func TestContradict(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Sarah lives in Berlin.", "Sarah lives in Lisbon.", true},
		{"Sarah lives in Berlin.", "Sarah lived in Berlin.", false},
		{"Tanaka's phone number is 111.", "Tanaka's phone number is 222.", true},
		{"The office wifi password is hunter2.", "The office wifi password is swordfish.", true},
		{"The wifi password of the office is hunter2.", "The wifi password of the office is swordfish.", true},
		{"The meeting is at 3 pm.", "The meeting is in room B.", false},
		{"The meeting starts at 10:00.", "The meeting starts at 11:00.", true},
		{"Tom likes tea.", "Tom likes coffee.", false},
		{"Tom likes tea.", "Tom does not like tea.", true},
		{"Tom likes tea.", "Tom doesn't like tea.", true},
		{"Tom likes natto.", "Tom hates natto.", true},
		{"Tom likes tea.", "Anna likes tea.", false},
		{"Anna has two cats.", "Anna has a dog.", false},
		{"Anna has 2 cats.", "Anna has 3 cats.", true},
		{"Ken works at Acme.", "Ken no longer works at Acme.", true},
		{"Ken works at Acme.", "Ken works at Globex.", true},
		{"Ken visited Rome.", "Ken visited Paris.", false},
		{"Yes. Ken's dog is called Max.", "By the way, hello! Ken's dog is called Rex.", true},
		{"The deploy is on Friday.", "The dentist is on Monday.", false},
		{"Paris is nice.", "Paris is big.", false},

		{"みどりさんの電話番号は222。", "みどりさんの電話番号は111。", true},
		{"さくらさんの電話番号は111。", "みどりさんの電話番号は111。", false},
		{"田中さんは東京に住んでいる。", "田中さんは大阪に住んでいます。", true},
		{"田中さんは納豆が好き。", "田中さんは納豆が嫌いです。", true},
		{"田中さんは納豆が好きだ。", "田中さんは納豆が好きではない。", true},
		{"田中さんは納豆が好き。", "田中さんは寿司が好き。", false},
		{"田中さんはお酒を飲む。", "田中さんはお酒を飲まない。", true},
		{"犬の名前はマックス。", "犬の名前はポチです。", true},
		{"会議は3時から。", "会議は4時から。", true},
		{"田中さんの犬は大きい。", "田中さんの犬は茶色い。", false},
		{"山田さんの席は二階にある。", "山田さんの席は三階にある。", true},
		{"会議は三時から。", "会議は十二時から。", true},
		{"兄の名前は一郎という漫画が好き。", "兄の名前は二郎という漫画が好き。", false},
		{"佐藤さんは医者です。", "佐藤さんは40歳です。", false},
		{"佐藤さんは京都に行った。", "佐藤さんは奈良に行った。", false},
		{"Tanaka likes ramen.", "田中さんはラーメンが嫌い。", false},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := Compare(Read(pair[0]), Read(pair[1])) == Replaces; got != c.want {
				t.Errorf("%q and %q: %v", pair[0], pair[1], got)
			}
		}
	}
}
