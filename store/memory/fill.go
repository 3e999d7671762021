package memory

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/text/unicode/norm"

	"techo/internal/meaning"
	"techo/store/ledger"
	"techo/store/search"
	"techo/store/search/speech"
	"techo/store/search/vectors"
	"techo/store/space"
)

// Encoder turns texts into vectors by a model. The vectors of one call have one length.
type Encoder interface {
	Model() string
	Encode(ctx context.Context, texts []string) ([][]float32, error)
}

// ErrDimensions is returned for vectors of another length than before by the same model.
var ErrDimensions = errors.New("vectors: another length than before")

// Fill gives up to most memories of a user that have no vector of the encoder's model theirs. No
// transaction is open while the encoder works. It returns the number of them, and whether it is
// worth calling again. If the encoder answers with vectors of another length than before, it fails
// with ErrDimensions, or with anew drops the former ones.
func Fill(ctx context.Context, s *ledger.Ledger, user string, e Encoder, most int, anew bool) (
	filled int, more bool, err error,
) {
	var (
		u       UserRecord
		lacking search.Lacking
		texts   []string
	)
	err = s.View(ctx, func(tx *ledger.Tx) (err error) {
		if u, err = LoadUser(tx, norm.NFC.String(user), false); err != nil || u.Number == 0 {
			return err
		}
		if lacking, err = u.index().Lacking(tx, e.Model(), most); err != nil {
			return err
		}
		texts, err = u.meant(tx, lacking.Texts)
		return err
	})
	if err != nil || u.Number == 0 {
		return 0, false, err
	}
	var vecs [][]float32
	if len(texts) > 0 {
		if vecs, err = e.Encode(ctx, texts); err != nil {
			return 0, true, err
		}
	}
	var scale vectors.Scale
	changed := len(vecs) > 0 && lacking.Dimensions != len(vecs[0])
	if changed && lacking.Dimensions != 0 && !anew {
		return 0, false, ErrDimensions
	}
	if changed {
		unrelated, err := e.Encode(ctx, unrelated())
		if err != nil {
			return 0, true, err
		}
		if len(unrelated[0]) != len(vecs[0]) {
			return 0, true, ErrDimensions
		}
		scale = vectors.ScaleOf(unrelated)
	}
	err = s.Update(ctx, func(tx *ledger.Tx) (err error) {
		more, err = u.index().Fill(tx, e.Model(), lacking, vecs, scale)
		return err
	})
	return len(vecs), more, err
}

// meant returns what counts of memories for their meaning.
func (u UserRecord) meant(tx *ledger.Tx, all []search.Owner) (texts []string, err error) {
	var ids []string
	for _, o := range all {
		ids = append(ids, o.ID)
	}
	records, err := indexedMemories(tx, u.Number, ids)
	for _, r := range records {
		texts = append(texts, speech.Meant(meantTexts(r.Full, r.Caption)...))
	}
	return texts, err
}

// unrelated returns texts that have nothing in common, in both languages. Their vectors show
// the scale of a model.
func unrelated() []string {
	return []string{
		"The train to the airport leaves at half past six.", "She plays the cello in a small orchestra.",
		"Prices of wheat fell for the third week.", "Please restart the server after the update.",
		"My grandmother makes soup with leeks and potatoes.", "The museum is closed on Mondays.",
		"He broke his arm when he was skiing.", "Water boils at a lower temperature in the mountains.",
		"The contract ends in September.", "Our neighbours have two cats.",
		"I would like a window seat.", "The function returns an error if the list is empty.",
		"明日の会議は三階の部屋です。", "祖父は釣りが好きで、毎週海に行く。",
		"新しい靴を買ったが、少し小さい。", "円相場は小幅な値動きだった。",
		"この本は図書館で借りました。", "データベースの接続が切れた。",
		"夏休みに北海道へ行く予定です。", "弟は卵のアレルギーがある。",
		"駅前の店は夜十時まで開いている。", "桜は来週には散るだろう。",
		"契約書に印鑑を押してください。", "エンジンの音がおかしい。",
	}
}

// Answering returns the length of the vectors of a model in some sources, 0 without any, and the
// models that have more vectors there: they answer questions until that one has all.
func Answering(ctx context.Context, s *ledger.Ledger, in space.Sources, model string) (
	dimensions int, others []string, err error,
) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		dimensions, others = 0, nil
		_, err := in.Open(tx, s, func(at *space.Source, tx *ledger.Tx) error {
			u, err := LoadUser(tx, norm.NFC.String(at.Owner), false)
			if err != nil || u.Number == 0 {
				return err
			}
			models, _, err := u.index().Models(tx)
			if own := models.Of(model); own != nil {
				dimensions = own.Dimensions
			}
			if other := models.Meanwhile(model); other != "" && !slices.Contains(others, other) {
				others = append(others, other)
			}
			return err
		})
		return err
	})
	return dimensions, others, err
}

// Meaning counts the vectors of memories.
type Meaning struct {
	Model      string
	Dimensions int // 0 if they are not known
	Vectors    int // memories that have one of the model
	Pending    int // the others
}

// MeaningOf counts the vectors of the memories of a user, "" for all, by a model; "" is the built-in
// table, by which every memory has one.
func MeaningOf(ctx context.Context, s *ledger.Ledger, user, model string) (m Meaning, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		m = Meaning{Model: model}
		if model == "" {
			m = Meaning{Model: meaning.Model, Dimensions: meaning.Dimensions}
		}
		return scanMemoryUsers(tx, func(u UserRecord) error {
			if user != "" && u.Name != norm.NFC.String(user) {
				return nil
			}
			if model == "" {
				m.Vectors += u.Memories
				return nil
			}
			models, texts, err := u.index().Models(tx)
			if is := models.Of(model); is != nil {
				m.Dimensions, m.Vectors = is.Dimensions, m.Vectors+is.Vectors
			}
			m.Pending += texts
			return err
		})
	})
	if model != "" {
		m.Pending -= m.Vectors
	}
	return m, err
}
