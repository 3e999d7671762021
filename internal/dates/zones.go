package dates

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"techo/internal/lazyregexp"
	zones "techo/internal/zone"
)

// # Zones in words
//
// A time may name its zone: 3pm CET, 09:00 America/New_York, 9am New York time, 9時(ニューヨーク時間).

// cutZone cuts the name or the UTC offset of a time zone off a normalized text.
// Without one the zone is nil.
func cutZone(s string) (rest string, zone *time.Location) {
	if g := lengthBehind.Get().FindStringSubmatch(s); g != nil {
		rest, zone = cutZone(g[1])
		return rest + g[2], zone
	}
	if g := zoneInside.Get().FindStringSubmatch(s); g != nil && (zoneOf(g[2]) != "" || strings.Contains(g[2], "/")) {
		s = g[1] + " " + g[3] + " " + g[2]
	}
	if m := dateForm.Get().FindStringSubmatch(s); m != nil && (zoneOf(m[2]) != "" || m[2] == "utc" || m[2] == "gmt") {
		s = m[1] + m[3] + " " + m[2]
	}
	if m := gmtForm.Get().FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	if m := offsetForm.Get().FindStringSubmatch(s); m != nil {
		hours, _ := strconv.Atoi(m[3] + m[6])
		minutes, _ := strconv.Atoi(m[4] + m[7])
		seconds := hours*3600 + minutes*60
		if m[2] == "-" {
			seconds = -seconds
		}
		if hours > 14 || minutes > 59 {
			return s, nil
		}
		return m[1], time.FixedZone("", seconds)
	}
	if rest, zone = cutPlace(s); zone != nil {
		return rest, zone
	}
	name := strings.TrimRight(s, "])")
	i := strings.LastIndexAny(name, " [(0123456789時分半")
	if i < 0 {
		return s, nil
	}
	_, size := utf8.DecodeRuneInString(name[i:])
	rest, name = strings.TrimRight(name[:i+size], " [("), name[i+size:]
	if z := zoneOf(name); z != "" {
		name = z
	} else if name != "utc" && name != "gmt" && !strings.Contains(name, "/") {
		return s, nil
	}
	if zone, _ = zones.Load(name); zone == nil {
		return s, nil
	}
	return rest, zone
}

// cutPlace cuts the time of a place off a text: New York time, (ロンドン時間), Pacific Standard Time.
func cutPlace(s string) (rest string, zone *time.Location) {
	if !strings.Contains(s, " time") && !strings.Contains(s, "時") && !strings.ContainsAny(s, "([") {
		return s, nil
	}
	if g := timeOfPlace.Get().FindStringSubmatch(s); g != nil {
		words := strings.Fields(g[2])
		for i := range words {
			zone := zoneOfPlace(strings.Join(words[i:], " "))
			if zone == nil {
				continue
			}
			before := strings.TrimSuffix(" "+strings.Join(words[:i], " "), " in")
			if digitEnd.Get().FindStringSubmatch(g[1]) != nil { // 9 am New York time
				before = strings.TrimSpace(before)
			}
			return strings.TrimSpace(strings.TrimRight(g[1], "([") + before + g[3]), zone
		}
	}
	if g := placeInBrackets.Get().FindStringSubmatch(s); g != nil {
		if zone := zoneOfPlace(g[2]); zone != nil {
			return strings.TrimSpace(strings.TrimRight(g[1], " ") + g[3]), zone
		}
	}
	if !strings.Contains(s, "時間") && !strings.Contains(s, "標準時") {
		return s, nil
	}
	if g := japanesePlace().FindStringSubmatchIndex(s); g != nil {
		before, after := strings.TrimRight(s[:g[0]], "(["), strings.TrimLeft(s[g[1]:], ")] ")
		before = strings.TrimSuffix(strings.TrimSpace(before), ",")
		zone, _ = zones.Load(placesJapanese()[s[g[2]:g[3]]])
		return strings.TrimSpace(before + strings.TrimPrefix(after, "の")), zone
	}
	return s, nil
}

var (
	timeOfPlace = lazyregexp.New(`^(.*?)((?:[a-z][a-z.'-]* ){0,4}[a-z][a-z.'-]*?)` +
		`(?: local| standard| daylight| summer)* time\b[)\]]?(.*)$`)
	placeInBrackets = lazyregexp.New(`^(.*\d.*?) ?[(\[]([a-z][a-z ]*[a-z])[)\]](.*)$`)
	digitEnd        = lazyregexp.New(`\d$`)
	lengthBehind    = lazyregexp.New(`^(.*)( for \d{1,3} ?[a-z]+)$`)
	zoneInside      = lazyregexp.New(`^(.*\d(?: ?[ap]\.?m\.?)?) ([a-z]{2,4}|[a-z]+/[a-z_]+(?:/[a-z_]+)?) ((?:on |at )?[a-z0-9].*)$`)
)

// zoneOfPlace returns the zone of a city, a country with one zone, or a part of North America, or nil.
func zoneOfPlace(name string) *time.Location {
	if known, ok := places()[name]; ok {
		zone, _ := zones.Load(known)
		return zone
	}
	city := strings.ReplaceAll(name, " ", "_")
	for _, area := range []string{"Europe/", "America/", "Asia/", "Australia/", "Africa/", "Pacific/"} {
		if zone, ok := zones.Load(area + city); ok && name != "easter" {
			return zone
		}
	}
	return nil
}

// places are cities that no zone is named after, and countries and regions with one zone.
var places = sync.OnceValue(func() map[string]string {
	return placeTable("Asia/Tokyo japan osaka kyoto|Asia/Seoul korea|Asia/Shanghai china beijing shenzhen|" +
		"Asia/Kolkata india delhi new-delhi mumbai bangalore bengaluru chennai|Asia/Ho_Chi_Minh vietnam hanoi|" +
		"Asia/Bangkok thailand|Europe/London uk british england|Europe/Paris france central-european|" +
		"Europe/Berlin germany german munich frankfurt hamburg cologne|Europe/Rome italy milan|Europe/Madrid barcelona|" +
		"Europe/Zurich geneva switzerland|Europe/Helsinki eastern-european|Europe/Lisbon western-european|" +
		"America/New_York eastern us-eastern boston washington miami philadelphia atlanta|America/Chicago central " +
		"us-central dallas houston|America/Denver mountain us-mountain|America/Los_Angeles pacific us-pacific " +
		"san-francisco seattle california|UTC utc gmt greenwich greenwich-mean coordinated-universal universal")
})

// placesJapanese are places in Japanese.
var placesJapanese = sync.OnceValue(func() map[string]string {
	return placeTable("Asia/Tokyo 日本 東京 大阪|Asia/Seoul 韓国 ソウル|Asia/Shanghai 中国 北京 上海|Asia/Hong_Kong 香港|" +
		"Asia/Taipei 台湾 台北|Asia/Singapore シンガポール|Asia/Bangkok タイ バンコク|Asia/Ho_Chi_Minh ベトナム ハノイ ホーチミン|" +
		"Asia/Manila フィリピン マニラ|Asia/Jakarta ジャカルタ|Asia/Kolkata インド デリー ムンバイ|Asia/Dubai ドバイ|" +
		"Australia/Sydney シドニー メルボルン|Pacific/Auckland ニュージーランド オークランド|Europe/London イギリス 英国 ロンドン|" +
		"Europe/Paris フランス パリ 中央ヨーロッパ 欧州中央|Europe/Berlin ドイツ ベルリン ミュンヘン フランクフルト|Europe/Rome イタリア ローマ ミラノ|" +
		"Europe/Madrid スペイン マドリード|Europe/Amsterdam オランダ アムステルダム|Europe/Zurich スイス チューリッヒ ジュネーブ|" +
		"Europe/Stockholm スウェーデン|Europe/Helsinki フィンランド ヘルシンキ|Europe/Moscow モスクワ|Europe/Istanbul トルコ イスタンブール|" +
		"Africa/Cairo カイロ|America/New_York ニューヨーク ワシントン ボストン 東部 米国東部 アメリカ東部 米東部|America/Chicago シカゴ " +
		"ダラス 中部 米国中部 アメリカ中部|America/Denver デンバー 山岳部 米国山岳部|America/Los_Angeles ロサンゼルス ロス シアトル " +
		"サンフランシスコ カリフォルニア 太平洋 米国太平洋 西海岸 米国西部 アメリカ西部|America/Toronto トロント|America/Vancouver バンクーバー|" +
		"America/Sao_Paulo サンパウロ|Pacific/Honolulu ハワイ ホノルル|UTC 協定世界 世界 世界標準 グリニッジ")
})

// placeTable reads zones with the names of their places.
func placeTable(text string) map[string]string {
	table := map[string]string{}
	for line := range strings.SplitSeq(text, "|") {
		all := strings.Fields(line)
		for _, name := range all[1:] {
			table[strings.ReplaceAll(name, "-", " ")] = all[0]
		}
	}
	return table
}

// japanesePlace matches the time of a place in Japanese. The longest names come first.
var japanesePlace = sync.OnceValue(func() *regexp.Regexp {
	names := slices.SortedFunc(maps.Keys(placesJapanese()), func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile(`[(\[ ]?(` + strings.Join(names, "|") + `)(?:の?現地|夏)?(?:標準時間?|時間?)(?:で|に)?`)
})

var (
	// dateForm matches what date prints: Wed Jun 10 15:00:00 UTC 2026.
	dateForm = lazyregexp.New(`^(.*:\d{2}(?: [ap]m)?) ([a-z]{3,4})( \d{4})$`)
	// gmtForm matches the end of what JavaScript prints: GMT+0900 (Japan Standard Time).
	gmtForm = lazyregexp.New(`^(.* gmt[+-]\d{4}) \([^()]*\)$`)
)

// offsetForm matches a text with a UTC offset behind its time.
var offsetForm = lazyregexp.New(`^(.*(?:[0-9:]|[ap]m|時|分|半))(?: ?(?:utc|gmt)([+-])(\d{1,2})(?::?(\d{2}))?|` +
	`(\+)(\d{2}):?(\d{2})|z)$`)

// zoneOf returns the zone of an abbreviation, or "". Abbreviations that are in use
// for several zones (CST, IST, BST) are left out.
func zoneOf(name string) string {
	switch name {
	case "jst":
		return "Asia/Tokyo"
	case "kst":
		return "Asia/Seoul"
	case "hkt":
		return "Asia/Hong_Kong"
	case "sgt":
		return "Asia/Singapore"
	case "et", "est", "edt":
		return "America/New_York"
	case "ct", "cdt":
		return "America/Chicago"
	case "mt", "mst", "mdt":
		return "America/Denver"
	case "pt", "pst", "pdt":
		return "America/Los_Angeles"
	case "cet", "cest":
		return "Europe/Paris"
	case "eet", "eest":
		return "Europe/Helsinki"
	case "wet", "west":
		return "Europe/Lisbon"
	case "aest", "aedt":
		return "Australia/Sydney"
	case "awst":
		return "Australia/Perth"
	case "nzst", "nzdt":
		return "Pacific/Auckland"
	case "akst", "akdt":
		return "America/Anchorage"
	case "hst":
		return "Pacific/Honolulu"
	case "msk":
		return "Europe/Moscow"
	case "sast":
		return "Africa/Johannesburg"
	case "aoe": // anywhere on earth
		return "Etc/GMT+12"
	}
	return ""
}
