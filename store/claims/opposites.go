package claims

import (
	"strings"
	"sync"

	"techo/internal/stem"
)

// side has the lines of the list in which a stem stands on the left and on the right.
type side struct{ left, right uint64 }

// opposites are the stems with opposite meanings.
var opposites = sync.OnceValue(func() map[string]side {
	all := map[string]side{}
	line := uint64(1)
	for text := range strings.Lines(opposed) {
		left, right, found := strings.Cut(text, "/")
		if !found {
			continue
		}
		for w := range stemSet(left) {
			s := all[w]
			s.left |= line
			all[w] = s
		}
		for w := range stemSet(right) {
			s := all[w]
			s.right |= line
			all[w] = s
		}
		line <<= 1
	}
	return all
})

func stemSet(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		if isLatin(w) {
			all[stem.Of(w)] = true
		} else {
			all[stemOf(w)] = true
		}
	}
	return all
}

const opposed = `like love enjoy / dislike hate
allow permit / forbid ban prohibit disallow
open / closed
on / off
enable / disable
single unmarried / married engaged
married / divorced
true / false
available / unavailable
possible / impossible
required mandatory compulsory / optional
alive / dead
accept / refuse reject
vegetarian vegan / meat
public / private
free / paid
light / dark
metric / imperial
online / offline
local / remote
healthy / sick ill
awake / asleep
present / absent
buy / sell
good / bad
safe / dangerous
early / late
cheap / expensive
alone / girlfriend boyfriend roommate flatmate
好き 大好き 得意 好む 好物 / 嫌い 大嫌い 苦手
賛成 / 反対
独身 / 既婚 結婚
有効 / 無効
可能 / 不可能
必要 必須 / 不要 任意
上手 / 下手
禁止 / 許可 可能 自由
食前 / 食後
オン / オフ
在宅 / 出社
無料 / 有料
元気 健在 / 病気 入院
ダーク / ライト
ベジタリアン 菜食主義者 菜食 / 肉
買う / 売る
早い / 遅い
高い / 安い
公開 / 非公開
`

// opposite reports whether two units have opposite meanings.
func opposite(u, v *unit) bool {
	return u.side.left&v.side.right|u.side.right&v.side.left != 0
}
