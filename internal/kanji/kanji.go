// Package kanji knows forms of Chinese characters that Japanese texts write for each other.
package kanji

import "sync"

// Standard returns the present form of a character: 辺 for 邊 and 邉, 高 for 髙. Others stay as they are. Compatibility
// characters of Unicode are to be normalized before, by NFKC.
func Standard(r rune) rune {
	if to, ok := standard()[r]; ok {
		return to
	}
	return r
}

var standard = sync.OnceValue(func() map[rune]rune {
	all := []rune(forms)
	to := make(map[rune]rune, len(all)/2)
	for i := 0; i < len(all); i += 2 {
		to[all[i]] = all[i+1]
	}
	return to
})

// forms has the other form and the present one, one pair after another. They are of the list of the characters for
// common use (常用漢字表, 2010: the forms in brackets), of the characters for names (人名用漢字表: the other forms that
// are permitted) and of the forms of other characters (表外漢字字体表, 2000), each a decision of a Japanese authority;
// and some that family registers have, such as 髙 and 﨑.
const forms = "" +
	"㐂喜乘乗亂乱亙亘亞亜亰京佛仏來来俠侠俱倶倂併假仮傳伝僞偽價価儉倹兒児兩両冝宜冨富冲沖凉涼凛凜剝剥剩剰劍剣劑剤勞労勳勲勵励勸勧區区卷巻卽即參参吞呑" +
	"啞唖單単噓嘘嚙噛嚴厳囑嘱圈圏國国圍囲圓円圖図團団圡土埜野堯尭塡填增増墮堕壓圧壘塁壞壊壤壌壯壮壹壱壽寿奧奥奬奨孃嬢學学寢寝實実寫写寬寛寳宝寶宝將将" +
	"專専對対屆届屛屏屬属峯峰峽峡嵜崎嶋島嶌島嶽岳巖巌巢巣帶帯幷并廢廃廣広廳庁彈弾彌弥彎弯徑径從従徵徴德徳恆恒惠恵惡悪惱悩愼慎慘惨應応懷懐戀恋戰戦戲戯" +
	"戾戻拂払拔抜拜拝挾挟插挿揭掲搔掻搖揺搜捜擇択擊撃擔担據拠擧挙擴拡攝摂攪撹收収效効敍叙敕勅數数斈学斷断晄晃晚晩晝昼曆暦曉暁曻昇曾曽會会枡桝枩松柗松" +
	"栁柳桒桑條条棧桟榮栄槇槙槗橋槪概樂楽樓楼樞枢樣様橫横檜桧檢検櫻桜權権歐欧歡歓步歩歷歴歸帰殘残殼殻毆殴每毎氣気涉渉淚涙淨浄淸清淺浅渊淵渕淵渴渇溪渓" +
	"溫温滯滞滿満潛潜澁渋澤沢濕湿濟済濱浜濵浜濾沪瀧滝瀨瀬灣湾燈灯燒焼營営爐炉爭争爲為犧犠狀状狹狭獨独獵猟獸獣獻献瓣弁甁瓶畫画當当疊畳瘦痩癡痴發発盃杯" +
	"盜盗盡尽眞真硏研碎砕祕秘祿禄禪禅禮礼禰祢禱祷稱称稻稲穎頴穗穂穩穏穰穣竊窃竝並簔蓑籔藪籠篭粹粋絲糸經経綠緑緖緒緣縁縣県縱縦總総繡繍繩縄繪絵繫繋繼継" +
	"續続纖繊缺欠罐缶羗羌聲声聽聴肅粛腦脳膽胆臟臓臺台與与舊旧舘館艷艶莊荘莖茎萠萌萬万蔣蒋薗園薮藪薰薫藏蔵藝芸藥薬蘆芦處処虛虚號号螢蛍蟬蝉蟲虫蠟蝋蠶蚕" +
	"蠻蛮衞衛裝装襃褒覺覚覽覧觀観觸触謠謡證証譯訳譽誉讀読變変讓譲豐豊豫予貳弐賣売賴頼贊賛踐践輕軽轉転辨弁辭辞辯弁遙遥遞逓遲遅邉辺邊辺郞郎鄕郷醉酔醫医" +
	"醬醤釀醸釋釈錄録錢銭鍊錬鎭鎮鐵鉄鑄鋳鑛鉱關関陷陥隝島隨随險険隱隠雙双雜雑霸覇靈霊靎鶴靏鶴靑青靜静頰頬顚顛顯顕飜翻餘余餠餅駈駆騷騒驅駆驗験驛駅髓髄" +
	"體体髙高髮髪鬭闘鷄鶏鷗鴎鹼鹸鹽塩麥麦麴麹麵麺黃黄黑黒默黙點点黨党齊斉齋斎齒歯齡齢龍竜龜亀﨑崎𠮟叱𠮷吉"
