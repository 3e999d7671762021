package charset

import (
	"slices"
	"strings"
	"testing"
)

// shortTexts are texts of a few characters, in the encodings that they are written in.
var shortTexts = map[string]string{
	"gb18030": "今天|数据|你好，世界|配置文件|读取失败|返回错误|用户名不能为空|" +
		"默认值|添加新的测试|参数说明|保存到数据库|请输入密码|函数的返回值|" +
		"变量未定义|中文|我们的项目|打开文件失败|不支持的格式|更新时间|系统设置|" +
		"x = 1 # 数量|// 初始化|名称,数量,价格|错误：文件不存在|帮助信息|是否继续？|" +
		"删除成功|北京市|下载完成",
	"big5": "今天|資料|你好，世界|設定檔案|讀取失敗|傳回錯誤|使用者名稱不能為空|" +
		"預設值|新增測試|參數說明|儲存到資料庫|請輸入密碼|函數的傳回值|變數未定義|" +
		"中文|我們的專案|開啟檔案失敗|不支援的格式|更新時間|系統設定|x = 1 # 數量|" +
		"// 初始化|名稱,數量,價格|錯誤：檔案不存在|說明|是否繼續？|刪除成功|臺北市|" +
		"下載完成",
	"euc-kr": "오늘|데이터|안녕하세요|설정 파일|읽기 실패|오류를 반환합니다|" +
		"사용자 이름|기본값|새 테스트 추가|매개변수 설명|저장하시겠습니까?|" +
		"비밀번호를 입력하세요|함수의 반환값|한국어|우리 프로젝트|" +
		"파일을 열 수 없습니다|지원하지 않는 형식|업데이트 시간|시스템 설정|" +
		"x = 1 # 개수|// 초기화|이름,수량,가격|오류: 파일이 없음|도움말|계속할까요?|" +
		"삭제되었습니다|서울시|다운로드 완료|전체 목록|변경 사항이 없습니다",
	"shift_jis": "今日は|データ|設定ファイル|読み込みに失敗|エラーを返す|名前|初期値|" +
		"テストを追加|引数の説明|保存しますか|日本語|私たちの会社|開けません|" +
		"対応していない形式|更新日時|x = 1 # 個数|// 初期化|名前,数量,価格|ヘルプ|" +
		"続けますか？|東京都",
	"euc-jp": "今日は|データ|設定ファイル|読み込みに失敗|エラーを返す|テストを追加|" +
		"引数の説明|保存しますか|日本語の文書|私たちの会社|開けません|" +
		"対応していない形式|x = 1 # 個数です|// 初期化する|名前,数量,価格です|ヘルプ|" +
		"続けますか？|東京都の人口",
	"windows-1251": "Привет, мир|ошибка чтения файла|настройки|количество|x = 1 # размер|// начало|имя,возраст,город|" +
		"Москва|файл не найден|Да|Сохранить изменения?",
	"windows-1253": "Καλημέρα|ρυθμίσεις|το αρχείο δεν βρέθηκε",
	"windows-1252": "café|naïve|Größe der Straße|für|señor, años|élève à l’école|" +
		"«\u00a0bonjour\u00a0»|“quoted”|5 €|não é possível|Ändern|smörgåsbord|prêt-à-porter|" +
		"größer|les fichiers créés|¿Qué?|10 °C|über",
}

// TestShortTexts guesses the encodings of short texts.
func TestShortTexts(t *testing.T) {
	for name, texts := range shortTexts {
		c, _ := Find(name)
		for text := range strings.SplitSeq(texts, "|") {
			for _, form := range []string{text, text + "\n", "value: " + text + "\r\n"} {
				raw, err := c.Encode(form)
				if err != nil {
					t.Fatal(err)
				}
				if got, guessed := Detect(raw); got == nil || got.Name() != name || !guessed {
					t.Errorf("%s: %q is guessed as %s (%v)", name, form, got.Name(), guessed)
				}
			}
		}
	}
}

// TestCertain expects no guess for texts that show their encoding.
func TestCertain(t *testing.T) {
	for _, raw := range []string{"", "plain", "日本語", "\xef\xbb\xbfx", "\xff\xfea\x00", "a\x00b"} {
		if _, guessed := Detect([]byte(raw)); guessed {
			t.Errorf("%q: guessed", raw)
		}
	}
}

// TestPossible lists the encodings that a file may be in.
func TestPossible(t *testing.T) {
	for raw, want := range map[string]string{
		"\x95\\\x8e\xa6 x":                   "shift_jis gb18030 big5 windows-1252 windows-1250 windows-1251 koi8-r windows-1256", // 表示
		"\xe9a\xe9\xdfa\xe9\xfc\xe9\x80\xdf": "shift_jis windows-1252 windows-1250 windows-1254 windows-1251 koi8-r windows-1253 windows-1256",
		"\xc0\xff":                           "windows-1252 windows-1250 windows-1254 windows-1251 koi8-r windows-1256",
	} {
		var names []string
		for _, c := range Possible([]byte(raw)) {
			names = append(names, c.Name())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: %s, want %s", raw, got, want)
		}
	}
}

// TestStateful decodes ISO-2022-JP, also when its escape sequences are divided.
func TestStateful(t *testing.T) {
	raw := []byte(strings.Repeat("plain\n", 3) + "\x1b$B4A;z\x1b(B text\n")
	for size := range len(raw) {
		var s Sniffer
		for piece := range slices.Chunk(raw, size+1) {
			s.Write(piece)
		}
		c, guessed := s.Charset()
		if c == nil || c.Name() != "iso-2022-jp" || !c.Stateful() || !guessed {
			t.Fatalf("pieces of %d bytes: %v", size+1, c)
		}
		if text := c.Decode(raw); text.String != strings.Repeat("plain\n", 3)+"漢字 text\n" || text.Lossy {
			t.Fatalf("%q", text.String)
		}
	}
}
