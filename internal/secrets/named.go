package secrets

import (
	"strings"
	"sync"
	"unicode"

	"techo/internal/lazyregexp"
)

// # Words beside a secret
//
// "password: hunter2", "the password is hunter2", パスワードはhunter2です. A value after a colon or
// an equals sign is a secret unless it is an ordinary word about one, such as "required". In a sentence it
// has to look like one, or to end the clause.

// The words. The first ones name passwords, which may be plain words; the others name numbers and
// keys, which are not.
const (
	passwords = `pass(?:word|wd|phrase|code)s?|pwd|pw|` +
		`パスワード|パスフレーズ|パスコード|暗証番号|` +
		`暗証コード|合言葉|あいことば|ピン番号|PIN番号|鍵番号|金庫の番号|` +
		`ロック番号`
	pins = `pin(?: code| number)?`
	keys = `(?:(?:client|app|shared|webhook|consumer|signing|jwt|session|oauth|cookie)[_\- ]?)?` +
		`secret(?:[_\- ](?:access[_\- ])?key)?(?:[_\-](?:base|id))?|` +
		`(?:(?:access|auth|refresh|bearer|id|api|bot|personal access|deploy)[_\- ]?)?token|` +
		`(?:api|access|private|secret|encryption|signing|account|license|recovery|auth|service|` +
		`master|ssh|webhook)[_\- ]?key|credentials?|otp|seed phrase|connection string|` +
		`(?:recovery|backup|verification|security|access|door|entry|unlock|2fa|otp|mfa)[ _\-]?codes?|` +
		`シークレット|秘密鍵|トークン|(?:API|アクセス|秘密|暗号|認証|シークレット)` +
		`[ ・]?キー|` +
		`ライセンスキー|認証コード|確認コード|` +
		`リカバリーコード|バックアップコード|認証情報`
)

// values of a name.
const (
	quoted = `"[^"\n]{3,}"|'[^'\n]{3,}'|` + "`[^`\n]{3,}`" + `|「[^」\n]{2,}」|『[^』\n]{2,}』`
	plain  = `[^\s"'「」『』、。，,;；)）]{3,}`
)

// settings is the number of patterns at the beginning of clauses that are no sentences.
const settings = 3

// The marks of the names, for pattern.
const (
	passwordMarks = `pass|pwd|pw|パス|暗証|合言葉|` +
		`あいことば|ピン番号|pin番号|鍵番号|金庫の番号|ロック番号`
	keyMarks = `secret|token|key|credential|otp|seed phrase|connection string|code|` +
		`シークレット|鍵|トークン|キー|コード|認証情報`
)

var clauses = sync.OnceValue(func() []pattern {
	about := func(names, between, value string) string {
		return `(?i)(?:^|[^a-z])[a-z0-9_]*?(?:` + names + `)` + between + `(` + value + `)`
	}
	const set = `[a-z0-9_]*["'` + "`" + `」]?\s*(?:(?:\([^)]*\)|（[^）]*）)\s*)?(?::=|=>|->|→|⇒|[:=：＝])\s*`
	const is = `(?: for [\w .'\-]{1,30}?| of [\w .'\-]{1,30}?| to [\w .'\-]{1,30}?)?(?: now| currently| still)?` +
		`(?: is| was| are| will be| to| changed to|'s)(?: now| still| currently| set to| changed to)? `
	const wa = `(?:は|が|って|も)(?:今は|現在|今|もう)?[、 　]*`
	const setJoins, isJoins, waJoins = `:|=|->|→|⇒|：|＝`, ` is| was| are| be| to|'s`, `は|が|って|も`
	words := func(names, marks, between, joins, value string, is func(string) bool) pattern {
		return pattern{marks, joins, lazyregexp.New(about(names, between, value)), is}
	}
	const both = passwordMarks + `|` + keyMarks
	return []pattern{
		words(passwords, passwordMarks, set, setJoins, quoted+`|`+plain, password), // of settings
		words(keys, keyMarks, set, setJoins, quoted+`|`+plain, keyOrLongNumber),
		words(pins, `pin`, set, setJoins, plain, password),
		words(passwords, passwordMarks, is, isJoins, quoted+`|`+plain, password),
		words(keys, keyMarks, is, isJoins, quoted+`|`+plain, key),
		words(`pass(?:word|wd|code|phrase)|pwd|pw`, `pass|pwd|pw`, ` `, ` `, `[!-~]{5,}`, lettersAndDigits),
		words(pins, `pin`, is, isJoins, plain, key),
		words(pins+`|passcode`, `pin|passcode`, ` `, ` `, `[0-9]{4,8}`, nil),
		words(passwords, passwordMarks, wa, waJoins, quoted+`|[!-~！-～]{3,}`, password),
		words(keys, keyMarks, wa, waJoins, quoted+`|[!-~！-～]{3,}`, key),
		words(passwords+`|`+keys, both, `を[、 　]*`, `を`, `「[^」\n]{2,}」|[!-~！-～]{4,}`, password),
	}
})

// segment is about how many bytes of a text are searched for words beside secrets at once. An expression
// reads all of a text that has one of its words, so that a long text is read in segments.
const segment = 2 << 10

// segments returns the ends of a text's segments: behind lines that have neither a word for secrets nor
// blanks alone, so that no secret goes on behind them.
func segments(text string) (ends []int) {
	from, line := 0, 0
	for line < len(text) {
		end := len(text)
		if n := strings.IndexByte(text[line:], '\n'); n >= 0 {
			end = line + n + 1
		}
		if end-from >= segment && strings.TrimSpace(text[line:end]) != "" {
			if small := inSmallLetters(text[line:end]); !hasAny(small, passwordMarks+"|"+keyMarks+"|pin") {
				ends, from = append(ends, end), end
			}
		}
		line = end
	}
	if from < len(text) {
		ends = append(ends, len(text))
	}
	return ends
}

// named finds secrets by the words beside them.
func named(text string) (all []span) {
	from := 0
	for _, end := range segments(text) {
		for _, s := range namedIn(text[from:end]) {
			all = append(all, span{s.From + from, s.To + from})
		}
		from = end
	}
	return all
}

func namedIn(text string) (all []span) {
	small := inSmallLetters(text)
	for i, p := range clauses() {
		for _, at := range p.matches(text, small) {
			from, to := at[2], at[3]
			value := strings.TrimRight(text[from:to], ".!?。！？")
			rest := text[from+len(value):]
			sentence := i >= settings
			switch {
			case p.is != nil && !p.is(value), sentence && isPlain(value) && !endsClause(rest),
				isPlain(value) && prose(rest), elsewhere(rest):
				continue
			}
			all = append(all, span{from, from + len(value)})
		}
	}
	return all
}

func password(value string) bool {
	bare := strings.Trim(value, "\"'`「」『』")
	return len(bare) >= 3 && !placeholder(bare) && !ordinary(bare) && !strings.Contains(bare, "://")
}

// key reports whether a value may be a key or token, which is no word.
func key(value string) bool {
	bare := strings.Trim(value, "\"'`「」『』")
	return password(value) && !isPlain(bare) && (opaque(bare) || len(bare) >= 16)
}

// keyOrLongNumber is key, but for numbers as in max_tokens: 4096.
func keyOrLongNumber(value string) bool {
	const long = 6
	return key(value) && (strings.Trim(value, digits) != "" || len(value) >= long)
}

func lettersAndDigits(value string) bool {
	return password(value) && strings.ContainsAny(value, digits) && strings.Trim(value, digits+".,%") != "" &&
		strings.ContainsFunc(value, unicode.IsLetter) && !strings.Contains(value, "-")
}

// isPlain reports whether a value consists of small letters or of Japanese alone, as words do.
func isPlain(value string) bool {
	if value == "" {
		return true
	}
	rest := value
	if c := value[0]; c >= 'A' && c <= 'Z' {
		rest = value[1:]
	}
	return !strings.ContainsFunc(rest, func(r rune) bool {
		return r < 0x80 && !unicode.IsLower(r) && r != '-' && r != '\''
	})
}

// endsClause reports whether a clause ends before a text.
func endsClause(rest string) bool {
	rest = strings.TrimLeft(rest, "\"'`")
	return rest == "" || strings.ContainsAny(rest[:1], ".,;!?)\n") || begins(rest, clauseEnds)
}

// begins reports whether a text begins with one of some words, which are separated by slashes.
func begins(text, words string) bool {
	for word := range strings.SplitSeq(words, "/") {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

const clauseEnds = "。/、/！/」/）/ (/ and / for / on / since / but /" +
	"です/だ/でした/ です/になり/になっ/に変/に設定/にし"

// prose reports whether a text goes on with another word, so that a plain word before it begins a sentence.
func prose(rest string) bool {
	next, ok := strings.CutPrefix(rest, " ")
	return ok && next != "" && unicode.IsLetter(rune(next[0])) && !endsClause(rest)
}

// elsewhere reports whether a text goes on as after the name of a place or a tool, or a length:
// 1Passwordに保存, 8文字以上.
func elsewhere(rest string) bool { return begins(rest, afterOthers) }

const afterOthers = "に保/に入/にあ/に置/に書/に格/で管/で保/で生/で発/" +
	"を使/を参/から/文字/桁/日/回/分/時/以上/以内/ごと/" +
	"個/年/か月/ヶ月/件/の/と同/経由/が必/を設/" +
	" characters/ chars/ digits/ days/ hours/ minutes/ times/ bytes/" +
	" bits/ letters/%"

// ordinary reports whether a value is a word about secrets.
func ordinary(value string) bool {
	value = strings.ToLower(strings.Trim(value, ".,:;!?"))
	return strings.Contains(notSecrets, " "+value+" ") || strings.HasSuffix(value, "ing") && isPlain(value) ||
		strings.HasSuffix(value, "ed") && isPlain(value) || strings.HasSuffix(value, "able") && isPlain(value) ||
		strings.HasSuffix(value, ".md") || strings.HasSuffix(value, ".env") || strings.HasSuffix(value, ".json") ||
		strings.ContainsAny(value, "/\\") && !strings.ContainsAny(value, digits+"+=!@#$") || days(value)
}

// days reports whether a value is a date or a time.
func days(value string) bool {
	return len(value) >= 5 && strings.Trim(value, digits+"-/:.") == "" && strings.ContainsAny(value, "-/:")
}

const notSecrets = " " +
	"a an the in on at by to of for from with not no never too so very still now here there this that it " +
	"its my your our his her their what which who when where why how and or if as is was are be been has " +
	"have had required optional string str text bytes int integer number none null nil true false yes no " +
	"empty unknown missing wrong weak strong long short old new same different invalid valid bad good " +
	"correct incorrect secret public private fine broken safe unsafe only always usually already ok okay " +
	"todo tbd n/a unset undefined default any all kept stored sent lost gone out up down set hidden known " +
	"given rotated expired revoked shared written read ask see use get first next last one two three four " +
	"five six seven eight nine ten eleven twelve important case-sensitive per-user free open hard easy " +
	"plain plaintext hashed salted random generated common ready bcrypt argon2 argon2id scrypt sha256 " +
	"sha-256 pbkdf2 md5 hmac jwt oauth oauth2 base64 utf-8 ascii uuid uuidv4 1password bitwarden keepass " +
	"lastpass dashlane vault keychain env environment file page field form hash manager policy reset " +
	"prompt limit count length type id name value key token password uint8 int64 float64 varchar(255) " +
	"boolean bool object array list map char varchar byte[] []byte optional<string> string? 8-digit " +
	"4-digit 6-digit 必須 任意 なし 無し 不要 必要 未設定 未定 設定済み 設定済 " +
	"変更済み 変更済 有効 無効 同じ 別途 秘密 非公開 共有済み 共有 要変更 " +
	"忘れた 不明 あり 有り 期限切れ 後で 文字列 ここ これ それ 以下 上記 次 " +
	"変更 更新 管理 保存 確認 入力 設定 再発行 忘れ "
