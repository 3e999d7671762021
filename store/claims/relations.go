package claims

import (
	"strings"
	"sync"

	"techo/internal/stem"
)

// # Relations
//
// People tell one thing of a person, a program or a meeting in many ways: "her employer is Acme", "she
// works at Acme", 勤め先, 転職. The words of a line tell the same relation. Sentences with words of
// different relations have nothing to do with each other.

// relationsOf returns the relations that a sentence tells, one bit for each line of relationWords.
func relationsOf(c *sentenceClaim) (all uint64) {
	words := relations()
	for i := range c.units {
		if u := &c.units[i]; !u.entity {
			all |= words.of(u)
		}
	}
	if takesPlace(c) {
		all |= words.japanese("場所")
	}
	for _, w := range c.changes {
		if isLatin(w) {
			all |= words.stems[w]
		} else {
			all |= words.japanese(w)
		}
	}
	return all
}

// takesPlace reports whether a Japanese sentence without another verb than 行う names a place, as in
// 会議は食堂で行う.
func takesPlace(c *sentenceClaim) bool {
	last := len(c.units) - 1
	return !c.latin && c.state && last > 0 && c.units[last].role == "で" && strings.Contains(c.line, "で行")
}

// otherRelation reports whether the sentences tell different relations, and the newer one does not
// name what the older one says.
func otherRelation(m *matching) bool {
	return m.a.relations != 0 && m.b.relations != 0 && m.a.relations&m.b.relations == 0 && !m.formerIs()
}

// oneRelation reports whether the newer sentence gives a relation of the same thing, which has one
// value at a time, another value from now on.
func oneRelation(m *matching) bool {
	words := relations()
	if m.a.relations&m.b.relations&^words.several == 0 || !m.newChange() && !m.b.since || !sharesEntity(m) {
		return false
	}
	value := func(u *unit) bool {
		tells := words.of(u)
		return !u.entity && !u.former && (tells == 0 && !u.verb || tells&words.values != 0 && !u.subject)
	}
	a, b := m.gaps(value)
	return a > 0 && b > 0
}

// relationLists has the words of relations: English stems, and beginnings of Japanese words.
type relationLists struct {
	stems    map[string]uint64
	prefixes []relationPrefix
	several  uint64 // relations that may have several values at once
	values   uint64 // relations whose words are values, such as married
}

// relationPrefix is the beginning or, after "~", the end of a Japanese word.
type relationPrefix struct {
	text  string
	tells uint64
}

// of returns the relations that a unit tells.
func (r *relationLists) of(u *unit) uint64 {
	switch {
	case u.kind != word || u.text == "home" && !u.subject: // she has a cat at home
		return 0
	case !isLatin(u.text):
		return r.japanese(u.written)
	case u.verb || u.subject || !verbs()[u.text]:
		return r.stems[u.text]
	}
	return 0
}

// japanese returns the relations that a Japanese word tells.
func (r *relationLists) japanese(text string) (all uint64) {
	for _, p := range r.prefixes {
		if end, ok := strings.CutPrefix(p.text, "~"); ok && strings.HasSuffix(text, end) ||
			!ok && strings.HasPrefix(text, p.text) {
			all |= p.tells
		}
	}
	return all
}

var relations = sync.OnceValue(func() *relationLists {
	r := &relationLists{stems: map[string]uint64{}}
	line := uint64(1)
	for text := range strings.Lines(relationWords) {
		for w := range strings.FieldsSeq(text) {
			switch {
			case w == "+":
				r.several |= line
			case w == "=":
				r.values |= line
			case isLatin(w):
				r.stems[w] |= line
				if s := stem.Of(w); s != w {
					r.stems[s] |= line
				}
			default:
				r.prefixes = append(r.prefixes, relationPrefix{w, line})
			}
		}
		line <<= 1
	}
	return r
})

// relationWords has a relation in each line: English words, and beginnings and, after "~", ends of
// Japanese words. One with "+" may have several values at once; the words of one with "=" are values.
const relationWords = `live reside home residence settle reloc relocat 住 在住 暮ら 自宅 引っ越 転居
employ employer company firm workplace work join quit 勤め 勤務先 転職 入社 就職 働
= profession occupation career job trade work 職業 仕事 職 働 ~師 ~士 ~員 ~記者 ~家
report manager boss supervisor superior 上司 報告 部下 下で
= department division team transfer 所属 部署 異動 配属 ~部 ~課
phone telephone number call dial reach 電話 番号 連絡 携帯
email address メール アドレス
birthday born birth birthdate 誕生 生まれ
homeoffice telework telecommute 在宅
commute 通勤 通っ 通い 通う
+ pet animal dog cat keep ペット 飼
+ learn practise practice lesson study class course tutor 習 練習 勉強 学ん 学び 教室 通っ 通い 通う
+ allergy allergic allergen アレルギー
+ hobby hobbies 趣味
desk seat sit 席 机 座
editor edit code write エディタ
theme mode 配色 テーマ
drink order beverage 飲 頼
eat diet meal food dish 食 好物 食べ物
car drive vehicle 車 運転
dentist dental 歯医者 歯科
doctor physician 主治医 医者 医師
lawyer attorney 弁護士
= single engage engaged marry married divorce divorced widow widowed marital 独身 婚約 既婚 結婚 離婚 別居
holiday trip vacation travel 休暇 旅行 旅先
size shoe サイズ
height tall 身長
weight weigh 体重
salary wage earn 給料 年収
age old 年齢
database store data データ
port listen connect ポート 待ち受 接続
deploy release リリース デプロイ
release ship deadline due launch 締 納期 期限 仕上
maintain maintainer own owner responsible charge lead chair host 担当 責任 司会 進め 仕切 引き継
host region server run stand reloc relocat 置 動 リージョン サーバー
language write written code implement 言語 書 実装 実
version upgrade production 本番 バージョン 版 最新版
licence license publish relicens ライセンス
log retention retain keep delete ログ 残 消え 期間
timeout time request タイムアウト
build pipeline ci ビルド
budget spend fund 予算 使え
= indent indentation tab space インデント 字下げ
start begin 始 開始
room venue held meet 場所 会場 部屋 行
password passcode pin code 暗証 パスワード
price cost rent fee 値段 料金 家賃 費用
`
