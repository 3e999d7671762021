package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"techo/tools"
)

const (
	serviceTime = 10 * time.Second
	serviceMost = 64 << 20 // bytes of an answer
)

// full is the answer of a memory service.
type full struct {
	Memories []struct {
		ID        string `json:"id"`
		Caption   string `json:"caption"`
		CreatedAt string `json:"created_at"`
		FullText  string `json:"full_text"`
	} `json:"memories"`
}

// fetch gets memories from a memory service.
func fetch(ctx context.Context, env *tools.Env, ids []string) (found []Investigated, missing []string, err error) {
	answer, err := ask(ctx, env.Memory.Service, env.User, ids, serviceTime)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err // the call's own time, or an interrupt
		}
		return nil, nil, serviceError(env, err)
	}
	there := map[string]bool{}
	for _, m := range answer.Memories {
		found = append(found, Investigated{ID: m.ID, Caption: m.Caption, CreatedAt: m.CreatedAt, FullText: m.FullText})
		there[m.ID] = true
	}
	for _, id := range ids {
		if !there[id] {
			there[id] = true
			missing = append(missing, id)
		}
	}
	return found, missing, nil
}

// statusError says that the service answered with an error.
type statusError struct {
	code int
	text string
}

func (e *statusError) Error() string { return e.text }

// ask gets memories from a service that has so much time for its whole answer.
func ask(ctx context.Context, service, user string, ids []string, limit time.Duration) (answer full, err error) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	at := strings.TrimRight(service, "/") + "/memories/full?" + url.Values{"user_id": {user}, "ids": {strings.Join(ids, ",")}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return answer, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return answer, &statusError{response.StatusCode, "HTTP status " + response.Status}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, serviceMost+1))
	if err != nil {
		return answer, err
	}
	if len(body) > serviceMost {
		return answer, fmt.Errorf("the answer has more than %d bytes", serviceMost)
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, fmt.Errorf("the answer is not what a memory service sends: %w", err)
	}
	return answer, nil
}

// serviceError is the specification's sentence about a service that failed.
func serviceError(env *tools.Env, err error) error {
	e := env.Fail(tools.Upstream, tools.Say{EN: "Error retrieving memories: %v", JA: "記憶の取得に失敗しました: %v"}, err).
		WithHint(env.Say(tools.Say{EN: "See whether the memory service at %s answers", JA: "メモリーサービス %s が応答するか確認してください"}, env.Memory.Service))
	status := new(statusError)
	refused := errors.As(err, &status)
	e.Retryable = !refused || status.code >= 500 || status.code == http.StatusRequestTimeout ||
		status.code == http.StatusTooEarly || status.code == http.StatusTooManyRequests
	return e
}
