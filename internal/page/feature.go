package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// features is how many numbers describe a block.
const features = 123

// vector describes a block by numbers, in the order in which describe adds
// them.
type vector struct {
	at [features]float32
	n  int
}

func (v *vector) add(values ...float32) {
	v.n += copy(v.at[v.n:], values)
}

func (v *vector) flag(is bool) {
	if is {
		v.at[v.n] = 1
	}
	v.n++
}

// surroundings is what all blocks of a page have in common.
type surroundings struct {
	*outliner
	words, link, prose float64
	before             []float64 // words before each block
	proseBefore        []float64 // words of sentences before each block
	core               [4]int    // the least elements with 50, 70, 85 and 95 % of the sentences
	path               map[int]bool
	h1                 int // the block of the first h1, -1 is none
	same               map[string]int
	noisy              []bool // the heading above announces something else
	articles           int
	again              []bool // the same text came before
}

func (o *outliner) survey() *surroundings {
	s := &surroundings{outliner: o, h1: -1, same: map[string]int{}, path: map[int]bool{}}
	s.before, s.proseBefore = make([]float64, len(o.blocks)+1), make([]float64, len(o.blocks)+1)
	s.noisy = make([]bool, len(o.blocks))
	heading, other := -1, false // the heading above, and what it announces
	for i := range o.blocks {
		b := &o.blocks[i]
		s.before[i+1], s.proseBefore[i+1] = s.before[i]+b.words, s.proseBefore[i]
		if isProse(b) {
			s.proseBefore[i+1] += b.words
		}
		s.link += b.link
		s.again = append(s.again, s.same[b.text] > 0)
		s.same[b.text]++
		if b.tag == atom.H1 && s.h1 < 0 {
			s.h1 = i
		}
		if headingLevel(b.tag) > 0 || o.elems[b.elem].traits&inHeading != 0 {
			heading, other = i, announcesOther(b.text)
		}
		s.noisy[i] = other && i-heading < 40
	}
	s.words, s.prose = s.before[len(o.blocks)], s.proseBefore[len(o.blocks)]
	for i := range o.elems {
		if o.elems[i].own&inArticle != 0 {
			s.articles++
		}
	}
	s.findCore()
	return s
}

// findCore finds the least elements that hold most of the sentences.
func (s *surroundings) findCore() {
	for k, share := range []float64{0.5, 0.7, 0.85, 0.95} {
		best := 0
		for i := range s.elems {
			e := &s.elems[i]
			if e.prose >= share*s.prose && e.words <= s.elems[best].words {
				best = i
			}
		}
		s.core[k] = best
	}
	for e := s.core[0]; e >= 0; e = s.elems[e].parent {
		s.path[e] = true
	}
}

// holds reports whether a block is in an element.
func (s *surroundings) holds(elem, block int) bool {
	return block >= s.elems[elem].first && block < s.elems[elem].last
}

// describe describes a block.
func (s *surroundings) describe(v *vector, i int) {
	v.at, v.n = [features]float32{}, 0
	b := &s.blocks[i]
	e := &s.elems[b.elem]
	s.itself(v, b, e)
	s.place(v, i)
	for bit := range 31 {
		v.flag(e.traits&(1<<bit) != 0)
	}
	s.containers(v, b.elem)
	s.neighbours(v, i)
	s.whole(v)
}

// itself describes the text of a block.
func (s *surroundings) itself(v *vector, b *block, e *element) {
	c := countKinds(b.text)
	words := float32(max(b.words, 1))
	v.add(logOf(b.words), float32(b.link/max(b.words, 1)), min(float32(c.letters)/words, 20))
	v.flag(endsSentence(b.text))
	v.add(float32(c.commas)/words, float32(c.stops)/words, float32(c.upper)/words, float32(c.digits)/float32(max(c.letters+c.digits, 1)))
	v.add(float32(headingLevel(b.tag)), tagClass(b.tag))
	v.flag(b.tag == atom.P)
	v.flag(strings.Contains(b.text, "©") || len(b.text) < 400 && strings.Contains(strings.ToLower(b.text), "all rights reserved"))
	v.flag(b.words <= 6 && isFurniture(b.text))
	v.flag(b.words <= 12 && announcesOther(b.text))
	v.add(float32(min(s.same[b.text], 8)), float32(len(b.runs)), float32(min(e.depth, 40)))
}

// place tells where on the page a block is.
func (s *surroundings) place(v *vector, i int) {
	n := float32(len(s.blocks))
	v.add(float32(i)/n, float32(s.before[i]/max(s.words, 1)), float32(s.proseBefore[i]/max(s.prose, 1)), logOf(float64(i)), logOf(float64(len(s.blocks)-i)))
	distance := float32(0)
	if s.h1 >= 0 {
		if distance = logOf(float64(max(i-s.h1, 0))); i < s.h1 {
			distance = -logOf(float64(s.h1 - i))
		}
	}
	v.add(distance)
	v.flag(s.h1 >= 0)
	v.flag(s.noisy[i])
	v.flag(s.again[i])
	for _, core := range s.core {
		v.flag(s.holds(core, i))
	}
	shared := s.blocks[i].elem
	steps := 0
	for !s.path[shared] {
		shared = s.elems[shared].parent
		steps++
	}
	v.add(float32(min(steps, 15)), float32(s.elems[s.core[0]].depth-s.elems[shared].depth))
}

// containers describes the elements around a block, each much larger than the
// one before.
func (s *surroundings) containers(v *vector, at int) {
	like := 1
	for up, n := at, 0; up >= 0 && n < 5; up, n = s.elems[up].parent, n+1 {
		like = max(like, s.elems[up].like)
	}
	v.add(logOf(float64(like)))
	for level := range 4 {
		e := &s.elems[at]
		blocks := float64(max(e.last-e.first, 1))
		v.add(logOf(e.words), float32(e.link/max(e.words, 1)), float32(e.prose/max(e.words, 1)), float32(e.words/max(s.words, 1)),
			float32(e.words/blocks), logOf(float64(e.like)), float32(e.prose/max(s.prose, 1)))
		if level == 3 {
			break
		}
		for at > 0 && s.elems[s.elems[at].parent].words < 1.5*e.words {
			at = s.elems[at].parent
		}
		if at > 0 {
			at = s.elems[at].parent
		}
	}
}

// neighbours describes the blocks before and after a block.
func (s *surroundings) neighbours(v *vector, i int) {
	for _, step := range []int{-2, -1, 1, 2} {
		if j := i + step; j >= 0 && j < len(s.blocks) {
			b := &s.blocks[j]
			v.add(logOf(b.words), float32(b.link/max(b.words, 1)))
			v.flag(b.tag == s.blocks[i].tag)
		} else {
			v.add(-1, -1, 0)
		}
	}
	for _, reach := range []int{3, 8} {
		low, high := max(i-reach, 0), min(i+reach+1, len(s.blocks))
		v.add(float32((s.proseBefore[high]-s.proseBefore[low])/max(s.before[high]-s.before[low], 1)),
			logOf(s.proseBefore[i]-s.proseBefore[low]), logOf(s.proseBefore[high]-s.proseBefore[min(i+1, high)]))
	}
}

// prior is what one would think of a block before having seen any page: the
// trees begin with it, and what they have seen little of stays as it says.
func (s *surroundings) prior(i int) float64 {
	b := &s.blocks[i]
	t := s.elems[b.elem].traits
	odds := -0.5
	for _, rule := range []struct {
		any  traits
		odds float64
	}{
		{namedDialog | namedAd, -1.5}, {inNav | namedShare, -1.2}, {inFooter | inButton | inForm, -0.8}, {inAside | namedSidebar | namedMenu, -0.7}, {namedRelated | namedNoise, -0.5},
		{namedComment | namedMeta, -0.3}, {inMain | inArticle | isArticleBody, 0.4}, {namedContent, 0.2},
	} {
		if t&rule.any != 0 {
			odds += rule.odds
		}
	}
	switch {
	case isProse(b):
		odds += 0.8
	case b.words > 0 && b.link/b.words > 0.7:
		odds -= 0.7
	}
	if s.holds(s.core[1], i) {
		odds += 0.6
	}
	if s.noisy[i] || s.again[i] && b.words > 3 {
		odds -= 0.6
	}
	if s.words > 0 && s.prose < 40 {
		odds -= 0.5
	}
	return odds
}

// whole describes the page.
func (s *surroundings) whole(v *vector) {
	v.add(logOf(s.words), float32(s.link/max(s.words, 1)), float32(s.prose/max(s.words, 1)), logOf(float64(len(s.blocks))), logOf(float64(s.articles)))
	core := &s.elems[s.core[1]]
	v.add(float32(core.words/max(s.words, 1)), float32(core.link/max(core.words, 1)))
	for bit := range 6 {
		v.flag(s.page.sort&(1<<bit) != 0)
	}
}

// kinds counts the characters of a text by kind.
type kinds struct{ letters, digits, upper, commas, stops int }

func countKinds(text string) (k kinds) {
	word := false
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			k.letters++
			word = true
			continue
		case r >= 'A' && r <= 'Z':
			k.letters++
			if !word {
				k.upper++
			}
			word = true
			continue
		case r >= '0' && r <= '9':
			k.digits++
			continue
		case r == ',' || r == '、' || r == '，' || r == ';':
			k.commas++
		case r == '.' || r == '!' || r == '?' || r == '。' || r == '！' || r == '？':
			k.stops++
		case r >= utf8.RuneSelf && unicode.IsLetter(r):
			k.letters++
			if !word && unicode.IsUpper(r) {
				k.upper++
			}
			word = true
			continue
		}
		word = false
	}
	return k
}

func headingLevel(a atom.Atom) int {
	switch a {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	case atom.H6:
		return 6
	}
	return 0
}

// tagClass puts the kinds of elements that hold text into an order in which
// neighbours are alike.
func tagClass(a atom.Atom) float32 {
	switch a {
	case atom.P:
		return 9
	case atom.Pre, atom.Blockquote:
		return 8
	case atom.Dd, atom.Dt:
		return 7
	case atom.Td, atom.Th, atom.Caption:
		return 6
	case atom.Li:
		return 5
	case atom.Section, atom.Article, atom.Main:
		return 4
	case atom.Div:
		return 3
	case atom.Figcaption, atom.Figure:
		return 2
	case atom.Button, atom.Option, atom.Legend, atom.Summary:
		return 1
	}
	return 0
}

// isFurniture reports whether a short text is what pages put around content:
// what to press, to share, to accept.
func isFurniture(text string) bool {
	text = strings.ToLower(strings.Trim(text, " \n.:!…»›→|"))
	switch text {
	case "share", "tweet", "pin it", "email", "print", "menu", "search", "close", "home", "login", "log in", "sign in", "sign up", "register", "subscribe",
		"next", "previous", "prev", "back", "read more", "more", "show more", "load more", "view all", "see all", "learn more", "continue reading",
		"advertisement", "ad", "skip to content", "skip to main content", "toggle navigation", "table of contents", "contents", "reply", "like", "report", "quote",
		"facebook", "twitter", "linkedin", "pinterest", "whatsapp", "instagram", "youtube", "copy link", "save", "follow", "comments", "leave a comment", "cookie settings",
		"accept", "accept all", "add to cart", "buy now", "back to top", "contact us", "about us", "privacy policy", "terms of service", "terms of use", "edit",
		"teilen", "drucken", "suche", "anmelden", "mehr", "weiterlesen", "kommentare", "startseite", "impressum", "datenschutz", "zurück", "weiter", "nach oben", "anzeige", "kommentieren", "antworten",
		"partager", "imprimer", "rechercher", "accueil", "lire la suite", "commentaires", "compartir", "imprimir", "buscar", "inicio", "leer más", "comentarios",
		"シェア", "ツイート", "メニュー", "検索", "閉じる", "ホーム", "ログイン", "新規登録", "会員登録", "次へ", "前へ", "戻る", "続きを読む", "もっと見る", "一覧", "一覧へ", "一覧を見る",
		"広告", "pr", "目次", "返信", "いいね", "コメント", "コメントを書く", "印刷", "保存", "ページの先頭へ", "ページトップへ", "トップ", "お問い合わせ", "利用規約", "プライバシーポリシー", "会社概要", "サイトマップ", "カートに入れる", "購入する":
		return true
	}
	return false
}

// announcesOther reports whether a heading begins something else than the
// content: what is related, popular, said by readers.
func announcesOther(text string) bool {
	if len(text) > 160 {
		return false
	}
	text = strings.ToLower(text)
	for _, begin := range []string{
		"related", "you may also", "you might also", "more from", "more on", "more stories", "more in", "recommended", "popular", "most read", "most popular", "trending", "latest", "recent posts", "recent comments",
		"share this", "share on", "follow us", "subscribe", "sign up", "newsletter", "leave a reply", "leave a comment", "comments", "post a comment", "about the author", "author", "tags", "categories", "archives", "see also", "read next", "up next", "don't miss", "further reading", "join our", "get the latest", "stay up to date", "similar",
		"customers also", "recently viewed", "frequently bought", "sponsored", "advertisement", "quick links", "contact us", "cookie", "your cart",
		"ähnliche", "das könnte", "mehr zum thema", "mehr von", "kommentar", "letzte beiträge", "neueste", "beliebte", "schlagwörter", "kategorien", "archiv", "teilen", "weitere", "verwandte", "meistgelesen", "newsletter",
		"à lire aussi", "sur le même", "articles liés", "commentaires", "te puede interesar", "relacionad", "comentarios",
		"関連", "人気", "ランキング", "おすすめ", "最新", "新着", "この記事を", "あわせて読みたい", "合わせて読みたい", "コメント", "カテゴリ", "アーカイブ", "タグ", "著者", "プロフィール", "シェア", "フォロー", "メルマガ", "よく読まれている", "最近の", "こちらも",
	} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}
