package charset

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// # Guessing
//
// A file that is neither UTF-8 nor marked by a BOM is in the encoding that makes its
// bytes most probable. Each language has a few groups of characters; a group has a
// share of the text, divided among its members. Characters of ASCII cost the same in
// every encoding, which matters where one is the second byte of a character.

// guessed lists the encodings to choose from. Of two that are equally probable, the
// first one wins.
func guessed() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return strings.HasPrefix(name, "utf-16") })
}

// Possible returns the encodings that a file may be in if its encoding was guessed: the
// guessed one and those without an invalid byte.
func Possible(raw []byte) (all []*Charset) {
	best, _ := Detect(raw)
	for _, name := range guessed() {
		c, _ := Find(name)
		if best != nil && c.Same(best) || !c.Decode(raw).Lossy {
			all = append(all, c)
		}
	}
	return all
}

// Logarithms of the probability of one byte or character.
var (
	costASCII   = math.Log(1.0 / 40)
	costInvalid = math.Log(1e-12)
	costRare    = math.Log(1e-9)
	costMixed   = math.Log(0.05) // a letter of ASCII beside a character of another script
)

// share returns the probability of one of n equally frequent characters that together
// make up a part of a text, as a logarithm.
func share(part float64, n int) float64 { return math.Log(part / float64(n)) }

// guess returns the encoding that a sample is most likely in.
func guess(sample []byte) (best *Charset) {
	most := math.Inf(-1)
	for _, name := range guessed() {
		c, _ := Find(name)
		if p := c.likelihood(sample); p > most {
			best, most = c, p
		}
	}
	return best
}

// likelihood returns the logarithm of the probability of b as text in the encoding. An
// incomplete character at the end of a long sample is ignored.
func (c *Charset) likelihood(b []byte) (sum float64) {
	switch {
	case c.coder == nil:
		return likelihoodUTF8(b)
	case c.script != nil:
		return c.script.likelihood(b)
	}
	cut := len(b) == head
	language := languages()[c.name]
	r := c.reader(b)
	latin, wide := false, false // the last character is a letter of ASCII, or no ASCII
	for len(r.rest) > 0 {
		if c := r.rest[0]; c < utf8.RuneSelf {
			isLetter := isLatin(rune(c))
			if isLetter && wide {
				sum += costMixed
			}
			latin, wide = isLetter, false
			r.rest = r.rest[1:]
			sum += costASCII
			continue
		}
		at := r.rest
		char, ok := r.next()
		if latin {
			sum += costMixed
		}
		latin, wide = false, true
		switch {
		case ok:
			first, _ := utf8.DecodeRune(char)
			sum += language.cost(first, at)
		case !cut || len(at) > 3:
			sum += costInvalid
		}
	}
	return sum
}

func likelihoodUTF8(b []byte) (sum float64) {
	cut := len(b) == head
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case b[0] < utf8.RuneSelf:
			sum += costASCII
		case r == utf8.RuneError && n == 1:
			if !cut || len(b) > 3 {
				sum += costInvalid
			}
		default:
			sum += share(0.5, 1000)
		}
		b = b[n:]
	}
	return sum
}

// language has the costs of its characters.
type language struct {
	common map[rune]float64
	other  func(r rune, raw []byte) float64 // for characters that are not common
}

func (l *language) cost(r rune, raw []byte) float64 {
	if cost, ok := l.common[r]; ok {
		return cost
	}
	return l.other(r, raw)
}

// add sets the costs of characters that together make up a part of a text: the frequency
// falls with the position in the list (Zipf's law).
func (l *language) add(list string, part float64) {
	const flat = 10 // the first characters are about equally frequent
	all := []rune(list)
	sum := math.Log(float64(len(all)+flat) / flat)
	for i, r := range all {
		if _, known := l.common[r]; !known {
			l.common[r] = math.Log(part / sum / float64(i+flat))
		}
	}
}

// languages returns the language of each encoding that is guessed by its characters.
var languages = sync.OnceValue(func() map[string]*language {
	japanese := &language{common: map[rune]float64{}, other: costJapanese}
	japanese.add(commonSigns, 0.1)
	japanese.add(commonKana, 0.6)
	japanese.add(rareKana, 0.02)
	japanese.add(commonKanji, 0.2)
	chinese := &language{common: map[rune]float64{}, other: costSimplified}
	chinese.add(commonSigns, 0.1)
	chinese.add(simplified, 0.7)
	taiwanese := &language{common: map[rune]float64{}, other: costTraditional}
	taiwanese.add(commonSigns, 0.1)
	taiwanese.add(traditional, 0.7)
	korean := &language{common: map[rune]float64{}, other: costKorean}
	korean.add(commonSigns, 0.05)
	korean.add(hangul, 0.7)
	return map[string]*language{"shift_jis": japanese, "euc-jp": japanese, "gb18030": chinese, "big5": taiwanese,
		"euc-kr": korean}
})

// The functions below return the cost of a character that is not common. raw begins
// with its bytes: encodings put the rarer characters in blocks of their own.

func costJapanese(r rune, raw []byte) float64 {
	switch {
	case raw[0] == 0x8e || raw[0] >= 0xa1 && raw[0] <= 0xdf && r >= 0xff61 && r <= 0xff9f: // half-width kana
		return share(0.003, 63)
	case raw[0] == 0x8f:
		return costRare
	case !unicode.Is(unicode.Han, r):
		return share(0.01, 500)
	case raw[0] >= 0x88 && raw[0] <= 0x97, raw[0] >= 0xb0 && raw[0] <= 0xcf: // level 1 of JIS X 0208
		return share(0.06, 2500)
	}
	return share(0.003, 3400)
}

func costSimplified(r rune, raw []byte) float64 {
	switch {
	case raw[0] < 0xa1 || raw[1] < 0xa1 || strings.ContainsRune(commonKana+rareKana, r): // GBK, GB 18030
		return costRare
	case raw[0] < 0xb0:
		return share(0.01, 600)
	case raw[0] <= 0xd7: // level 1 of GB 2312
		return share(0.15, 3255)
	}
	return share(0.005, 3008)
}

func costTraditional(_ rune, raw []byte) float64 {
	switch {
	case raw[0] < 0xa1 || raw[0] > 0xf9: // HKSCS
		return costRare
	case raw[0] < 0xa4:
		return share(0.01, 408)
	case raw[0] < 0xc9: // level 1 of Big5
		return share(0.15, 5401)
	}
	return share(0.005, 7652)
}

func costKorean(r rune, raw []byte) float64 {
	switch {
	case raw[0] < 0xa1 || raw[1] < 0xa1: // the additions of code page 949
		return share(0.002, 8822)
	case unicode.Is(unicode.Hangul, r) && raw[0] >= 0xb0:
		return share(0.15, 2350)
	case unicode.Is(unicode.Han, r):
		return share(0.003, 4888)
	case strings.ContainsRune(commonKana+rareKana, r):
		return costRare
	}
	return share(0.01, 900)
}

// Frequent characters of the languages whose encodings are guessed, the most frequent
// first. Together they make up most of any text, so a few of them identify an encoding.

const commonKana = "のにはをたがでてとしれさいるなもこかりっまあうらきすくそつけお" +
	"えよやどじだみわせんちめびばろごげずべざぶほむひへふねょゃンスルトリイラ" +
	"クアドレジシフタムロメコサセテニバマプパデグビブケカオキエナハミモツチヒ" +
	"ホウソノボポゼダガギゴザズベペピワヨヤユネヌワィェォャュョッァー"

const rareKana = "ぬづぎぐぜぞぼゆゅぱぷぽぴぺぢぁぃぅぇぉゎヴヂヅヲヮ"

const commonKanji = "日一年本国人会大中出上生事同者行合自分場地二三時東京部用性名間" +
	"学定表示設語文字入力前後新高下内外物方理手作成見言考思知小多少長所動力発" +
	"方対体現在公立的業経社主要市町村県区開始終了変更追加削除検索選択保存読込" +
	"書続処実行関数引値型列件番号説明使法式画面機能問題子女男私何今来週月火水" +
	"木金土曜午最初次回度以化正当先全品政治世界戦明和道路海山川野原気心電車通" +
	"信員家店神社第四五六七八九十百千万円米英代表情報記録載参照必須注意確認認" +
	"証利可不無有非未完済編集権限許可種類例外部品単位数量計算結果食水口目耳足" +
	"話聞買売安店校教室予約束仕様漢平仮片字改行空白元気度再起停止送受取得返答" +
	"失敗接続切断管理者昨夜朝夏冬春秋特別調査研究開科技術議員選挙制度収支出資" +
	"産価格税計画期限委任命令裁判事件死亡病院医療"

const simplified = "的一是不了在人有我他这个们中文今天来上大为和国地到以说时要就出" +
	"会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去" +
	"法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实" +
	"日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由" +
	"问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回" +
	"特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义" +
	"各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建" +
	"务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基" +
	"眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边" +
	"死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运错误字符串编码" +
	"配置返回函变输默认列添删除读写测试载请登录户用户端服网络版析参考显示选项" +
	"打印模块存储查找替换忽略缓冲命令脚屏幕窗支持警键盘值空格尾您吗京友谢早晚" +
	"欢迎喜爱吃饭茶车站店买卖钱价件息邮箱址密码验证限级城市省县街号楼层"

const traditional = "的一是不了在人有我他這個們中文今天來上大為和國地到以說時要就出" +
	"會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去" +
	"法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實" +
	"日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由" +
	"問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回" +
	"特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義" +
	"各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建" +
	"務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基" +
	"眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊" +
	"死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運錯誤字符串編碼" +
	"配置返回函變輸預設列新增刪除讀寫測試載請登錄使用者端伺服網路版析參考顯示" +
	"選項列印模組存儲尋找取代忽略緩衝命令腳螢幕視窗支援警鍵盤值空格尾您嗎檔案" +
	"資料夾程式執行無法開啟關閉臺灣北友謝早晚歡迎喜愛吃飯茶車站店買賣錢價息郵" +
	"箱址密碼驗證限級城縣街號樓層"

const hangul = "이다는의에을를가은고한로하지도으기사서나리자아시인어있해정수대전" +
	"부일제그만과원구상보장주동국들라여것조관오와소마비공게면트스식계성위무안" +
	"해선문신세연내미경생용유모거우진치화물분행요방당당적할파데드러려없중학교" +
	"회실재합불않습니까네년월열번입출력글자설정파일읽쓰기목록추가삭제변경명령" +
	"오류함수값저찾바꾸검색확인취본말때더많같되된될됩음른르람업영역외단체통신" +
	"양새김박최발개간강건결구금남날노누님달답더독두등따또래량렇록류률름림망매" +
	"먹며모목못무미민및받밖백버법별복봐부북뿐산삼색석설속손송술쉬승심십싶쌍아" +
	"약양억언얼엄없여역예왔왜욕운울움웃월육응의임잘잡적절점접제족종좋죄줄즉질" +
	"집차찬참창책처천첫청초총추축충층친침커큰타태토특팀편평포표품피필현형호혼" +
	"환활황후훈희힘안녕"

const commonSigns = "、。，：；！？“”‘’（）《》「」『』・…—～　【】〈〉％＋"
