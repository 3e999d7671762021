package content

import (
	"strings"
	"sync"

	"techo/internal/page/dom"
	"techo/internal/page/view"
)

// phrases is the set of meanings of a short text, from wording common to all
// pages.
type phrases uint8

const (
	phraseControl phrases = 1 << iota // a label of a control
	phraseOther                       // the heading of other content
	phraseAppeal                      // an appeal to do or read something else
	phraseConsent                     // a notice about cookies
	phraseRights                      // a copyright notice
	phraseDate                        // a date and nothing else
)

func phrasesOf(b *view.Block) (p phrases) {
	if b.Words <= 6 && isControl(b.Text) {
		p |= phraseControl
	}
	if b.Words <= 12 && announcesOther(b.Text) {
		p |= phraseOther
	}
	if b.Words <= 80 && isAppeal(b.Text) {
		p |= phraseAppeal
	}
	if b.Words > 5 && asksConsent(b.Text) {
		p |= phraseConsent
	}
	if b.Words <= 12 && isDate(b.Text) {
		p |= phraseDate
	}
	if reservesRights(b.Text) {
		p |= phraseRights
	}
	return p
}

// isDate reports whether a short text is a date or a time: all its letters belong
// to names of months or to words around a date.
func isDate(text string) bool {
	if len(text) > 60 || !strings.ContainsAny(text, "0123456789") {
		return false
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text),
		func(r rune) bool { return r < 'a' && r != '\'' || r > 'z' && r < 0x80 }) {
		if !isDateWord(word) {
			return false
		}
	}
	return true
}

func isDateWord(word string) bool {
	switch word {
	case "am", "pm", "a", "p", "m", "t", "z", "at", "on", "et", "est", "edt", "pst", "pdt", "gmt", "utc", "st", "nd",
		"rd", "th", "h", "posted", "published", "updated", "last", "date", "uhr", "um", "den", "vom", "de", "del", "le",
		"min", "read", "ago", "hours", "days", "minutes",
		"年", "月", "日", "時", "分", "更新", "公開", "投稿", "午前", "午後",
		"土", "火", "水", "木", "金",
		"jan", "january", "januar", "janvier", "jänner", "feb", "february", "februar", "février", "mar", "march",
		"märz", "mars", "apr", "april", "avril", "abril", "may", "mai", "jun", "june", "juni", "juin", "jul", "july",
		"juli", "juillet", "aug", "august", "août", "agosto",
		"sep", "sept", "september", "septembre", "oct", "october", "oktober", "okt", "octobre", "nov", "november",
		"novembre", "dec", "december", "dezember", "dez", "décembre",
		"mon", "monday", "montag", "tue", "tuesday", "dienstag", "wed", "wednesday", "mittwoch", "thu", "thursday",
		"donnerstag", "fri", "friday", "freitag", "sat", "saturday", "samstag", "sun", "sunday", "sonntag":
		return true
	}
	return false
}

// reservesRights reports whether a text is a copyright notice.
func reservesRights(text string) bool {
	if len(text) > 400 {
		return false
	}
	if strings.HasPrefix(text, "©") || strings.HasPrefix(text, "Copyright ") || strings.HasPrefix(text, "(c) ") {
		return true
	}
	return strings.Contains(text, "ights reserved") || strings.Contains(text, "ights Reserved") ||
		strings.Contains(text, "RIGHTS RESERVED") ||
		strings.Contains(text, "echte vorbehalten") || strings.Contains(text, "無断転載")
}

// isControl reports whether a short text is the label of a control: share, print,
// accept and the like.
func isControl(text string) bool {
	text = strings.ToLower(strings.Trim(text, " \n.:!…»›→|"))
	switch text {
	case "share", "tweet", "pin it", "email", "print", "menu", "search", "close", "home", "login", "log in", "sign in",
		"sign up", "register", "subscribe",
		"next", "previous", "prev", "back", "read more", "more", "show more", "load more", "view all", "see all",
		"learn more", "continue reading",
		"advertisement", "ad", "skip to content", "skip to main content", "toggle navigation", "table of contents",
		"contents", "reply", "like", "report", "quote",
		"facebook", "twitter", "linkedin", "pinterest", "whatsapp", "instagram", "youtube", "copy link", "save",
		"follow", "comments", "leave a comment", "cookie settings",
		"accept", "accept all", "add to cart", "buy now", "back to top", "contact us", "about us", "privacy policy",
		"terms of service", "terms of use", "edit",
		"teilen", "drucken", "suche", "anmelden", "mehr", "weiterlesen", "kommentare", "startseite", "impressum",
		"datenschutz", "zurück", "weiter", "nach oben", "anzeige", "kommentieren", "antworten",
		"partager", "imprimer", "rechercher", "accueil", "lire la suite", "commentaires", "compartir", "imprimir",
		"buscar", "inicio", "leer más", "comentarios",
		"シェア", "ツイート", "メニュー", "検索", "閉じる", "ホーム", "ログイン",
		"新規登録", "会員登録", "次へ", "前へ", "戻る", "続きを読む", "もっと見る",
		"一覧", "一覧へ", "一覧を見る",
		"広告", "pr", "目次", "返信", "いいね", "コメント", "コメントを書く", "印刷", "保存",
		"ページの先頭へ", "ページトップへ", "トップ", "お問い合わせ", "利用規約",
		"プライバシーポリシー", "会社概要", "サイトマップ", "カートに入れる", "購入する":
		return true
	}
	return false
}

// announcesOther reports whether a heading introduces something other than the
// content: related or popular pages, comments.
func announcesOther(text string) bool {
	if len(text) > 160 {
		return false
	}
	return others().begin(text) || begins(text, "more ") && strings.HasSuffix(strings.ToLower(text), " stories")
}

// isAppeal reports whether a text asks the reader to do or read something else, as
// found between and after paragraphs.
func isAppeal(text string) bool {
	text = strings.TrimLeft(text, " \n[(►▶>→👉*•-–—")
	if appeals().begin(text) {
		return true
	}
	return begins(text, "follow ") &&
		(strings.Contains(text, " on Twitter") || strings.Contains(text, " on Facebook") ||
			strings.Contains(text, " on Instagram") || strings.Contains(text, "@"))
}

// begins reports whether text starts with a lower-case prefix, ignoring case.
func begins(text, with string) bool {
	if len(text) < len(with) {
		return false
	}
	c := text[0]
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	return c == with[0] && strings.EqualFold(text[:len(with)], with)
}

// asksConsent reports whether a text is a notice about cookies.
func asksConsent(text string) bool {
	if len(text) > 1500 || !strings.Contains(text, "ookie") && !strings.Contains(text, "クッキー") {
		return false
	}
	return dom.HasPart(strings.ToLower(text), "accept", "consent", "we use", "uses cookies", "our cookie", "privacy",
		"by continuing", "preferences", "akzeptieren", "zustimm", "datenschutz", "wir verwenden", "accepter",
		"nous utilisons", "aceptar", "utilizamos", "cookie policy", "利用", "同意")
}

// prefixes are beginnings of texts in lower case, by their first byte.
type prefixes [256][]string

func prefixesOf(all ...string) *prefixes {
	p := new(prefixes)
	for _, one := range all {
		p[one[0]] = append(p[one[0]], one)
	}
	return p
}

// begin reports whether a text starts with one of the prefixes, ignoring case.
func (p *prefixes) begin(text string) bool {
	if text == "" {
		return false
	}
	c := text[0]
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	for _, one := range p[c] {
		if begins(text, one) {
			return true
		}
	}
	return false
}

// others are beginnings of headings of other content.
var others = sync.OnceValue(func() *prefixes {
	return prefixesOf(
		"related", "you may also", "you might also", "more from", "more on", "more stories", "more in", "recommended",
		"popular", "most read", "most popular", "trending", "latest", "recent posts", "recent comments",
		"share this", "share on", "follow us", "subscribe", "sign up", "newsletter", "leave a reply", "leave a comment",
		"comments", "post a comment", "about the author", "author", "tags", "categories", "archives", "see also",
		"read next", "up next", "don't miss", "further reading", "join our", "get the latest", "stay up to date",
		"similar",
		"customers also", "recently viewed", "frequently bought", "sponsored", "advertisement", "quick links",
		"contact us", "cookie", "your cart",
		"ähnliche", "das könnte", "mehr zum thema", "mehr von", "kommentar", "letzte beiträge", "neueste",
		"beliebte", "schlagwörter", "kategorien", "archiv", "teilen", "weitere", "verwandte", "meistgelesen",
		"newsletter",
		"à lire aussi", "sur le même", "articles liés", "commentaires", "te puede interesar", "relacionad",
		"comentarios",
		"関連", "人気", "ランキング", "おすすめ", "最新", "新着", "この記事を",
		"あわせて読みたい", "合わせて読みたい", "コメント", "カテゴリ", "アーカイブ",
		"タグ", "著者", "プロフィール", "シェア", "フォロー", "メルマガ",
		"よく読まれている", "最近の", "こちらも")
})

// appeals are beginnings of texts that ask the reader to do something.
var appeals = sync.OnceValue(func() *prefixes {
	return prefixesOf(
		"read more", "read also", "also read", "read next", "see also", "see more", "more:", "related:",
		"related story", "related article", "related coverage", "watch:", "watch now", "watch more", "don't miss:",
		"sign up", "subscribe", "follow us", "follow me", "follow @", "join our", "join us", "like us", "share this",
		"tweet this", "click here", "tap here", "download our", "download the app", "get the app", "get our",
		"support us", "support our", "donate", "become a", "buy us a", "if you enjoyed", "if you liked",
		"if you found this", "enjoyed this", "thanks for reading", "this story was originally",
		"this article was originally",
		"this post may contain", "this post contains affiliate", "this article contains affiliate",
		"as an amazon associate", "we may earn", "disclosure:", "image credit", "photo credit", "photo:", "photo by",
		"image:", "source:", "credit:", "featured image", "getty images", "tags:", "tagged", "filed under", "posted in",
		"categories:", "published on", "posted on", "last updated", "your email address will not",
		"leave a reply", "you must be logged", "log in to", "notify me", "save my name", "enter your email",
		"contact the author", "have a tip", "got a tip", "stay up to date", "stay tuned", "never miss", "keep reading",
		"lesen sie auch", "lesen sie mehr", "mehr zum thema", "mehr dazu", "weiterlesen", "jetzt anmelden",
		"abonnieren", "folgen sie", "folge uns", "teilen:", "quelle:", "foto:", "bild:", "bildquelle", "kategorie",
		"schlagwörter", "veröffentlicht am", "veröffentlicht in", "ihre e-mail", "deine e-mail",
		"dieser beitrag wurde", "dieser eintrag wurde", "kommentar",
		"lire aussi", "à lire", "abonnez", "partager", "suivez", "leer más", "lee también", "suscríbete",
		"síguenos", "compartir", "leggi anche", "iscriviti", "condividi", "lees ook", "leia também",
		"czytaj też", "zobacz także", "читайте также",
		"関連記事", "あわせて読みたい", "続きを読む", "こちらの記事", "この記事をシェア",
		"フォロー", "メルマガ", "会員登録", "無料登録", "この記事は会員限定",
		"この記事は有料", "有料会員", "ここから先は", "写真：", "画像：",
		"出典：", "【関連")
})
