package claims

import (
	"strings"
	"sync"
)

// The lists with which a text is compared word by word. Each is cut into words at its first use.
var (
	// japaneseMust are double negations.
	japaneseMust = split("なければな なければいけ なくてはな " +
		"なくてはいけ ないといけ")

	// japaneseEnds are beginnings of words that tell an end.
	japaneseEnds = split("やめ 辞め 止め 退職 中止 廃止 手放 売っ 売却 解約 亡くな 死 " +
		"禁煙 禁酒 離婚 別れ 終わっ 終了 退会 閉鎖 取り消 取りやめ 廃 " +
		"失 控え 断 中断 解消")

	// japaneseChanges are beginnings of words that tell a change.
	japaneseChanges = split("変わ 変え 変更 移 引っ越 引越 乗り換 切り替 切替 異動 転職 " +
		"転勤 移転 移行 延期 延び 延ば 代わっ 替わ 替え 上が 下が 増え " +
		"減 前倒 転校 改名 改め 更新され 値上 値下 昇進 転じ なっ 繰り " +
		"取っ 入れ替 離れ 書き直 書き換 引き継 転居 譲 なり " +
		"延長 引き上 引上 引き下 引下 早ま 早め 訂正 見直")

	// japaneseFormer follow what holds no more.
	japaneseFormer = split("の代わり にかわって に代わって ではなく じゃなく " +
		"をやめ を辞め を譲 を手放 を売")
)

func split(list string) func() []string {
	return sync.OnceValue(func() []string { return strings.Fields(list) })
}

const (
	// japaneseParticles tie a word to the verb.
	japaneseParticles = " は が を に へ で と も の から まで より や か ね よ な だけ " +
		"しか ほう って とか など 、 "

	// japaneseSkipped are endings and words that say little.
	japaneseSkipped = " さん 様 君 くん ちゃん 氏 です ます だ た て する し さ せ " +
		"れる られ られる れ い いる お ご ある あり あっ こと もの " +
		"ため よう この その あの どの 必ず すべて いつも また まだ " +
		"ない なく なかっ ませ ん でし だっ なる なっ なり いう 言わ " +
		"言っ 思う 思っ とても 大変 毎 ごと あたり 月 日 年 時 分 者 方 " +
		"うち 家 自分 これ それ もらう もらい くだ ください ほしい " +
		"欲しい たい たがる ておく おく おき くる き いく いけ " +
		"いけない なら なけれ ば たら ので のに ながら 予定 " +
		"つい 今 現在 最近 もう 新しい 新 代わり 代わりに 以降 以前 際 " +
		"場合 でき できる 行う 行い 行っ 行わ 使う 使っ 使い 用い 利用 " +
		"という とき 時に にて おり ござい まし でしょ う せる させ " +
		"つつ ろ 回 番 号 用 的 化 等 個 よい いい "

	// japaneseNow say that something holds now.
	japaneseNow = " もう 今 今は 現在 最近 新しい 新 代わり なっ また 先月 先週 " +
		"今月 今年 "

	// japaneseDays are from when on something holds.
	japaneseDays = " 今日 明日 昨日 今週 来週 先週 今月 来月 先月 " +
		"今年 来年 去年 昨年 今朝 今夜 春 夏 秋 冬 "

	// japaneseNegates deny.
	japaneseNegates = " ない なく なかっ ん ぬ ず なけれ 非 無 未 "

	// japaneseEvents are stems of verbs that may have several objects.
	japaneseEvents = " 行る 会る 訪る 訪問 旅行 出張 出かる 寄る 登る 泊る 着る 買る " +
		"見る 読る 参加 出席 "

	// counters follow a number.
	counters = "階時月日年歳才分秒個本枚匹人回円番号週度割倍冊台" +
		"件名章話組杯キロつ泊"
)
