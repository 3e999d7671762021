package charset

import (
	"testing"

	"golang.org/x/text/encoding"
)

// TestUndeclared detects the encodings of pages that declare none.
func TestUndeclared(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"euc-kr", "등대는 사십 명이 세 번의 여름에 걸쳐 지었고 등대지기가 그것을 적었다. 배는 밤에 항구로 돌아왔다."},
		{"gb18030", "灯塔是四十个人用三个夏天建成的，看守人把它写了下来。船在夜里回到港口，孩子们在岸上等着。"},
		{"big5", "燈塔是四十個人用三個夏天建成的，看守人把它寫了下來。船在夜裡回到港口，孩子們在岸上等著。"},
		{"windows-1250", "Příliš žluťoučký kůň úpěl ďábelské ódy; strážce majáku to všechno zapsal do knihy."},
		{"windows-1250", "Latarnię zbudowało czterdzieści osób w ciągu trzech lat, a latarnik wszystko zapisał. Łódź wróciła późno."},
		{"windows-1251", "Маяк строили сорок человек три лета, и смотритель всё это записал. Лодка вернулась ночью."},
		{"koi8-r", "Маяк строили сорок человек три лета, и смотритель все это записал. Лодка вернулась ночью."},
		{"windows-1253", "Ο φάρος χτίστηκε από σαράντα ανθρώπους σε τρία καλοκαίρια και ο φύλακας το έγραψε."},
		{"windows-1254", "Deniz fenerini kırk kişi üç yazda yaptı ve bekçi hepsini yazdı. Işık gece boyunca yandı, çocuklar şaşırdı."},
		{"windows-1255", "המגדלור נבנה בידי ארבעים איש במשך שלושה קיצים והשומר כתב את הכול ביומן."},
		{"windows-1256", "بنى المنارة أربعون رجلا في ثلاثة أصياف وكتب الحارس كل ذلك في دفتره"},
		{"windows-874", "ประภาคารนี้สร้างโดยคนสี่สิบคนในสามฤดูร้อน และผู้ดูแลได้จดบันทึกไว้ทั้งหมด"},
		{"windows-1252", "Le phare a été bâti par quarante ouvriers pendant trois étés, et le gardien l'a noté à côté."},
		{"windows-1252", "Der Leuchtturm wurde über drei Sommer gebaut, und der Wärter schrieb alles für später auf; schöne Grüße."},
		{"windows-1252", "El faro lo construyeron cuarenta hombres en tres años; el señor lo escribió todo en español."},
		{"euc-kr", "오늘 등대는 문을 닫습니다. 내일 다시 오세요."},
		{"gb18030", "今天灯塔不开放，请明天再来。"},
		{"big5", "今天燈塔不開放，請明天再來。"},
		{"windows-1251", "Сегодня маяк закрыт, приходите завтра."},
		{"windows-1250", "Dziś latarnia jest zamknięta, proszę przyjść jutro; gość wróci później."},
		{"windows-1253", "Σήμερα ο φάρος είναι κλειστός."},
		{"shift_jis", "灯台は四十人が三度の夏をかけて建て、灯台守がそれを書き留めた。船は夜に港へ戻った。"},
		{"euc-jp", "灯台は四十人が三度の夏をかけて建て、灯台守がそれを書き留めた。船は夜に港へ戻った。"},
	} {
		e, _ := lookup(c.name)
		raw, err := encoding.ReplaceUnsupported(e.NewEncoder()).Bytes([]byte("<html><body><p>" + c.text + "</p></body></html>"))
		if err != nil {
			t.Fatal(err)
		}
		text, name := DecodePage(raw, "")
		if want := "<html><body><p>" + c.text + "</p></body></html>"; text != want {
			t.Errorf("%s: %s: %.80q", c.name, name, text)
		}
	}
}

// TestUndeclaredShort guesses the encoding of titles of one or a few words.
func TestUndeclaredShort(t *testing.T) {
	for name, texts := range map[string][]string{
		"windows-1251": {"Встреча", "Обед", "Позвонить маме", "день рождения", "Отчёт за май", "Совещание в офисе", "кино",
			"Стоматолог", "купить молоко", "Урок музыки", "Вечеря", "Зустріч"},
		"windows-1255": {"פגישה", "יום הולדת", "ארוחת צהריים", "רופא שיניים", "פגישה עם הלקוח", "להתקשר לאמא"},
	} {
		c, _ := Find(name)
		for _, text := range texts {
			raw, err := c.Encode("SUMMARY:" + text + "\r\n")
			if err != nil {
				t.Fatal(err)
			}
			if _, got := DecodePage(raw, ""); got != name {
				t.Errorf("%s in %s: %s", text, name, got)
			}
		}
	}
}
