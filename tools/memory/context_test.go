package memory

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store"
	"techo/store/memory"
	"techo/tools"
)

// rows returns the lines of a file, each as the texts between bars.
func rows(t *testing.T, path string) (all [][]string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, strings.Split(line, " | "))
		}
	}
	return all
}

// emptied returns an empty store and an environment with it.
func emptied(t *testing.T) (*store.Store, *tools.Env) {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }
	o := store.Options{Write: true, Now: now, Given: true}
	s, err := store.Open(testenv.Place(t, store.Migrate, o), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, &tools.Env{User: "tanaka", Zone: time.UTC, Now: now,
		Open: func(context.Context, bool) (*store.Store, error) { return s, nil }}
}

// imported adds memories as an import does.
func imported(t *testing.T, s *store.Store, all ...memory.Memory) {
	t.Helper()
	d := memory.NewDrafter()
	var drafts []memory.Draft
	for _, m := range all {
		m.User = "tanaka"
		drafts = append(drafts, d.Draft(m))
	}
	if _, err := s.AddMemories(t.Context(), "tanaka", drafts); err != nil {
		t.Fatal(err)
	}
}

func addAt(t *testing.T, s *store.Store, text string, at time.Time) {
	t.Helper()
	imported(t, s, memory.Memory{FullText: text, CreatedAt: at})
}

// realistic returns an environment with a store of 200 memories.
func realistic(t *testing.T) *tools.Env {
	t.Helper()
	s, env := emptied(t)
	var all []memory.Memory
	for _, r := range rows(t, "../../store/testdata/memories.txt") {
		at, err := time.Parse("2006-01-02 15:04", r[1])
		if err != nil {
			t.Fatal(err)
		}
		m := memory.Memory{ID: "mem_" + r[0], FullText: strings.Join(r[3:], " | "), CreatedAt: at}
		if r[2] != "-" {
			m.Session = r[2]
		}
		all = append(all, m)
	}
	imported(t, s, all...)
	return env
}

func contextOf(t *testing.T, env *tools.Env, message string) ContextOut {
	t.Helper()
	out, err := memoryContext(t.Context(), env, ContextIn{Message: message, Limit: 5, Bytes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// promptLines returns the lines of the prompt for a message.
func promptLines(t *testing.T, env *tools.Env, message string) (lines []string) {
	t.Helper()
	for _, r := range contextOf(t, env, message).References {
		lines = append(lines, r.Line)
	}
	return lines
}

// TestApproval: what praises or agrees asks for nothing, though a memory has the word.
func TestApproval(t *testing.T) {
	_, env := ofYear(t)
	for _, text := range []string{"A notary holds my great-aunt's will.", "The fine for the late book was two euros.",
		"父の最高血圧は140。", "結構な額の寄付があった。"} {
		added(t, env, text, "")
	}
	for _, message := range []string{"Thanks, that looks great.", "Fine, go ahead.", "最高です！", "結構です。"} {
		if out := contextOf(t, env, message); out.HasMemoryContext {
			t.Errorf("%s: %s", message, out.Prompt)
		}
	}
}

// TestSilence checks that unrelated messages bring at most 4 references for 20
// messages, and that nearly all questions bring the memory that answers them.
func TestSilence(t *testing.T) {
	env := realistic(t)
	messages, references := rows(t, "testdata/unrelated.txt"), 0
	for _, r := range messages {
		out := contextOf(t, env, r[1])
		references += len(out.References)
		for _, ref := range out.References {
			t.Logf("%s: %s", r[1], ref.Line)
		}
		if !out.HasMemoryContext && out.Prompt != r[1] {
			t.Errorf("%s: prompt %q", r[1], out.Prompt)
		}
	}
	if 20*references > 4*len(messages) {
		t.Errorf("%d references for %d unrelated messages", references, len(messages))
	}
	questions, silent := rows(t, "../../store/testdata/questions.txt"), 0
	for _, r := range questions {
		if out := contextOf(t, env, r[1]); !strings.Contains(out.Prompt, "[mem_"+r[0]+"]") {
			silent++
			t.Logf("%s: no %s in %s", r[1], r[0], out.Prompt)
		}
	}
	if 20*silent > len(questions) {
		t.Errorf("%d of %d questions do not bring their memory", silent, len(questions))
	}
}

// TestWeak checks that a search whose question nothing answers says so if it finds something, and that hardly
// any question that a memory answers is told that nothing fits.
func TestWeak(t *testing.T) {
	env := realistic(t)
	weakOf := func(path string) (weak, found int) {
		for _, r := range rows(t, path) {
			out, err := searchMemory(t.Context(), env, SearchIn{Query: r[1], Limit: 5, By: "both"})
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Results) > 0 {
				found++
			}
			if out.Weak != strings.HasPrefix(out.Message, "Nothing fits well; nearest: ") {
				t.Errorf("%s: weak %v, %q", r[1], out.Weak, out.Message)
			}
			if out.Weak {
				weak++
			}
		}
		t.Logf("%s: %d weak of %d that find something", path, weak, found)
		return weak, found
	}
	if weak, found := weakOf("testdata/unrelated.txt"); found == 0 || 5*weak < 4*found {
		t.Errorf("%d of %d unrelated messages that find something are weak", weak, found)
	}
	if weak, found := weakOf("../../store/testdata/questions.txt"); 40*weak > found {
		t.Errorf("%d of %d questions are weak", weak, found)
	}
	const query = "来週、会社に出社しなきゃいけないのは何曜日?" // only results after the first five have its words
	for _, limit := range []int{5, 1000} {
		if out, err := searchMemory(t.Context(), env, SearchIn{Query: query, Limit: limit, By: "both"}); err != nil || !out.Weak {
			t.Errorf("%s: not weak with the limit %d (%v)", query, limit, err)
		}
	}
}

// TestCourtesy checks that neither courtesy nor the name of a time brings memories, and that a
// question with either brings its own.
func TestCourtesy(t *testing.T) {
	s, env := emptied(t)
	now := env.Now()
	for _, m := range []struct {
		text string
		days int
	}{
		{"We deploy every Friday after stand-up.", 400}, {"デプロイは金曜日にする。", 400},
		{"I take my blood pressure medication every morning at 8.", 40},
		{"毎朝、血圧の薬を飲んでいる。", 40},
		{"The printer on the second floor is broken this week.", 0}, {"Lunch was soba.", 0},
		{"Mara is in Lisbon this week.", 0},
		{"今週は佐藤さんが休みです。", 0},
		{"I had a long week at the office.", 20},
	} {
		addAt(t, s, m.text, now.AddDate(0, 0, -m.days).Add(-time.Hour))
	}
	for _, c := range []struct{ message, want string }{
		{"good morning, how are you?", ""},
		{"Good morning!", ""},
		{"おはようございます", ""},
		{"おはよう、元気？", ""},
		{"hello, how was your week?", ""},
		{"have a nice week", ""},
		{"See you this week!", ""},
		{"今日はいい天気ですね", ""},
		{"Thanks a lot, see you tomorrow morning", ""},
		{"お疲れ様でした。また今週ね", ""},
		{"any plans for today?", ""},
		{"what's the weather this week?", ""}, {"Good night, sleep well", ""},
		{"when do we deploy this week?", "We deploy every Friday after stand-up."},
		{"今週のデプロイはいつ？", "デプロイは金曜日にする。"},
		{"Good morning! Is the printer broken?", "The printer on the second floor is broken this week."},
		{"Good morning! When do I take my medication?", "I take my blood pressure medication every morning at 8."},
		{"おはよう。血圧の薬は？", "毎朝、血圧の薬を飲んでいる。"},
		{"Hi, what did Mara do this week?", "Mara is in Lisbon this week."},
	} {
		if got := strings.Join(append(promptLines(t, env, c.message), ""), "\n"); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q", c.message, got)
		}
	}
	if out := contextOf(t, env, "What happened this week?"); len(out.References) != 4 {
		t.Errorf("this week: %v", out.References)
	}
}

// TestTimeName checks that what is so at a time of each year, month or week is found by its words, though it was said at
// another time and others were said at that one.
func TestTimeName(t *testing.T) {
	s, env := emptied(t)
	for text, at := range map[string]string{
		"The cabin by the lake has no running water in winter.": "2026-06-08", "The office is closed in August.": "2026-06-09",
		"山小屋は冬は水道が使えない。": "2026-06-10", "プールは8月だけ開いている。": "2026-06-11", "Trash is collected on Mondays.": "2026-06-12",
		"Sarah lives in Lisbon since January.": "2026-01-12", "The water heater was repaired.": "2026-02-16",
		"We walked along the river and talked.": "2026-08-15", "Lunch with Mara.": "2026-11-16",
	} {
		day, err := time.Parse(time.DateOnly, at)
		if err != nil {
			t.Fatal(err)
		}
		addAt(t, s, text, day)
	}
	for question, want := range map[string]string{
		"Is there running water in the cabin in winter?": "The cabin", "Is the office open in August?": "The office",
		"Is the office open in August 2026?": "The office", "冬に山小屋の水道は使える？": "山小屋", "8月にプールは開いている？": "プール", "What is collected on Monday?": "Trash",
		"What did we talk about in August?": "We walked",
	} {
		out, err := searchMemory(t.Context(), env, SearchIn{Query: question, Limit: 5, By: "both"})
		if err != nil || len(out.Results) == 0 || !strings.HasPrefix(out.Results[0].Caption, want) {
			t.Errorf("%s: %v (%v)", question, out.Results, err)
		}
	}
}

// TestLikely checks that what is likely to answer is offered, and fits well, though the question has no word that names
// what it is about.
func TestLikely(t *testing.T) {
	s, env := emptied(t)
	for text, at := range map[string]string{
		"燃えるごみは月曜日と木曜日に出す。": "2026-06-12", "冬のボーナスは12月10日に出る。": "2026-05-20", "The office is closed in August.": "2026-06-09",
		"妹の誕生日は11月3日で、蘭の花が好きだ。": "2026-07-15", "確定申告は3月15日までに出す。": "2026-04-01", "朝会は九時半に変わった。": "2026-11-10",
	} {
		day, err := time.Parse(time.DateOnly, at)
		if err != nil {
			t.Fatal(err)
		}
		addAt(t, s, text, day)
	}
	for question, want := range map[string]string{
		"燃えるごみの日はいつ？": "燃えるごみ", "11月3日は何の日？": "妹", "12月10日に何がある？": "冬",
	} {
		out, err := searchMemory(t.Context(), env, SearchIn{Query: question, Limit: 5, By: "both"})
		if err != nil || out.Weak {
			t.Errorf("%s: weak %v (%v)", question, out.Weak, err)
		}
		if lines := promptLines(t, env, question); len(lines) == 0 || !strings.HasPrefix(lines[0], want) {
			t.Errorf("%s: %q", question, lines)
		}
	}
}

// TestManyAlike checks that notes about one thing are offered however many there are, though none is likely to answer.
func TestManyAlike(t *testing.T) {
	s, env := emptied(t)
	var all []memory.Memory
	for i := range 120 {
		plant := []string{"tomatoes", "beans", "peas", "carrots", "roses", "basil"}[i%6]
		all = append(all, memory.Memory{FullText: fmt.Sprintf("In the garden: watered the %s, %d minutes.", plant, i+5),
			CreatedAt: env.Now().AddDate(0, 0, i-200)})
	}
	imported(t, s, all...)
	const message = "Tell me about the garden"
	if out, err := searchMemory(t.Context(), env, SearchIn{Query: message, Limit: 5, By: "both"}); err != nil || out.Weak {
		t.Errorf("weak %v (%v)", out.Weak, err)
	}
	if lines := promptLines(t, env, message); len(lines) == 0 {
		t.Error("nothing is offered")
	}
}

// TestWordsAlone checks that a question in a language that the table of meanings does not know, and one by words, is
// answered as likely as another.
func TestWordsAlone(t *testing.T) {
	_, env := emptied(t)
	for _, text := range []string{"와이파이 비밀번호는 hunter2 입니다.", "금요일에는 배포하지 않는다.", "The guest wifi password is hunter3."} {
		added(t, env, text, "")
	}
	for question, by := range map[string]string{
		"와이파이 비밀번호는 무엇입니까?": "both", "금요일에 배포해도 되나요?": "both", "guest wifi password": "words",
	} {
		out, err := searchMemory(t.Context(), env, SearchIn{Query: question, Limit: 5, By: by})
		if err != nil || len(out.Results) == 0 || out.Results[0].Score < likely || out.Weak {
			t.Errorf("%s: %v (%v)", question, out.Results, err)
		}
	}
}

// TestOwnMatters checks that a question about the asker's own matters is offered the nearest memories, though they have
// none of its words, and that how-to questions and requests with the same words are offered none.
func TestOwnMatters(t *testing.T) {
	s, env := emptied(t)
	for i, text := range []string{
		"The spare key hangs behind the boiler.", "Lunch is paid by the company on Fridays.", "The printer jams with thick paper.",
		"The plumber is Mr. Novak, he comes on the same day.", "The cottage has no heating in winter.",
		"雨の日はバスで会社に行く。", "打ち合わせは十時から。", "健康保険証は引き出しの中。", "米は五キロずつ買う。",
	} {
		addAt(t, s, text, env.Now().AddDate(0, -2, i))
	}
	for message, want := range map[string]string{
		"Whom do we call when water drips through our ceiling?": "The plumber is Mr. Novak",
		"What does my sister unlock the door with?":             "The spare key",
		"天気が悪いとき、私は何に乗って通勤している？":                                "雨の日はバス",
		"Can you open the door of my class?":                    "",
		"How do I open a door without a handle?":                "",
		"私の代わりに電車の写真を探してくれる？":                                   "",
	} {
		lines := promptLines(t, env, message)
		if all := strings.Join(lines, "\n"); len(lines) > nearestOwn || want == "" && all != "" || !strings.Contains(all, want) {
			t.Errorf("%s: %q", message, lines)
		}
	}
}

// TestBestStay checks that of many relevant turns about one matter the best are in the prompt, not the newest.
func TestBestStay(t *testing.T) {
	s, env := emptied(t)
	for i, text := range []string{"planted the quinces behind the shed", "cut the hedge", "painted the fence", "lost a glove"} {
		imported(t, s, memory.Memory{Session: "talk", FullText: "Mara: I " + text + " in the garden.",
			CreatedAt: env.Now().AddDate(0, -2, i)})
	}
	in := ContextIn{Message: "Where in the garden did Mara plant the quinces?", Limit: 3, Bytes: 2000}
	out, err := memoryContext(t.Context(), env, in)
	if err != nil || !strings.Contains(out.Prompt, "quinces behind") || len(out.References) != 3 || out.Omitted != 1 {
		t.Errorf("%d omitted: %s (%v)", out.Omitted, out.Prompt, err)
	}
}

// TestOneFact checks that a message about one fact brings no line about another subject and few about another
// matter of the subject, and that one about several facts brings all of them.
func TestOneFact(t *testing.T) {
	s, env := emptied(t)
	for i, text := range []string{
		"Anton sits on floor 3.", "Quinn sits on floor 2.", "Isaac sits on floor 7.", "Nils sits on floor 5.",
		"Anton's manager is Gina.", "Anton plays the harp.",
		"The billing service is deployed on Tuesdays.", "The billing service listens on port 7001.",
		"高橋さんはそばアレルギーがある。", "小林さんは卵アレルギーがある。",
		"加藤さんはえびアレルギーがある。",
		"高橋さんの上司は島田課長。", "高橋さんの席は3階。",
		"予約システムは毎週水曜日にデプロイする。", "予約システムのポートは3000番。",
	} {
		addAt(t, s, text, env.Now().AddDate(0, -2, i))
	}
	for _, c := range []struct {
		message string
		want    []string
	}{
		{"On which floor does Anton sit?", []string{"Anton sits on floor 3."}},
		{"高橋さんは何のアレルギー？", []string{"高橋さんはそばアレルギーがある。"}},
		{"Who is Anton's manager?", []string{"Anton plays the harp.", "Anton's manager is Gina."}},
		{"予約システムはいつデプロイする？", []string{
			"予約システムのポートは3000番。", "予約システムは毎週水曜日にデプロイする。",
		}},
		{"Tell me about Anton", []string{
			"Anton sits on floor 3.", "Anton's manager is Gina.", "Anton plays the harp.",
		}},
		{"On which floor does Anton sit, and which port does the billing service listen on?", []string{
			"Anton sits on floor 3.", "The billing service listens on port 7001.",
		}},
		{"高橋さんのアレルギーと、予約システムのポート番号は？", []string{
			"高橋さんはそばアレルギーがある。", "予約システムのポートは3000番。",
		}},
	} {
		var lines []string
		for _, line := range promptLines(t, env, c.message) {
			line, _, _ = strings.Cut(line, " (2026-")
			lines = append(lines, line)
		}
		slices.Sort(lines)
		slices.Sort(c.want)
		if !slices.Equal(lines, c.want) {
			t.Errorf("%s: %q", c.message, lines)
		}
	}
}
