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
	"techo/tools/message"
)

const (
	serviceTime = 10 * time.Second
	serviceMost = 64 << 20 // bytes of a response
)

// full is the response of a memory service.
type full struct {
	Memories []struct {
		ID        string `json:"id"`
		Caption   string `json:"caption"`
		CreatedAt string `json:"created_at"`
		FullText  string `json:"full_text"`
	} `json:"memories"`
}

// fetch reads memories from a memory service.
func fetch(ctx context.Context, env *tools.Env, ids []string) (found []Investigated, missing []string, err error) {
	answer, err := ask(ctx, env, ids, serviceTime)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err // the call's own timeout, or an interrupt
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

// statusError is an HTTP status other than 2xx.
type statusError struct {
	code int
	text string
}

func (e *statusError) Error() string { return e.text }

// serviceHops limits the redirects of a memory service.
const serviceHops = 5

// serviceClient returns the client for a memory service. It sends the token only
// to the service's own origin, not to another host, port or scheme after a
// redirect.
func serviceClient(env *tools.Env) *http.Client {
	client := &http.Client{}
	if env.HTTP != nil {
		*client = *env.HTTP
	}
	client.CheckRedirect = func(next *http.Request, before []*http.Request) error {
		if len(before) > serviceHops {
			return fmt.Errorf("more than %d redirects", serviceHops)
		}
		if own := before[0].URL; next.URL.Scheme != own.Scheme || !strings.EqualFold(next.URL.Host, own.Host) {
			next.Header.Del("Authorization")
		}
		return nil
	}
	return client
}

// ask requests memories from a service. limit includes reading the response.
func ask(ctx context.Context, env *tools.Env, ids []string, limit time.Duration) (answer full, err error) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	at := strings.TrimRight(env.Memory.Service, "/") + "/memories/full?" +
		url.Values{"user_id": {env.User}, "ids": {strings.Join(ids, ",")}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return answer, err
	}
	if env.Memory.Token != "" {
		request.Header.Set("Authorization", "Bearer "+env.Memory.Token)
	}
	response, err := serviceClient(env).Do(request)
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
		return answer, message.NewError("the answer has more than %d bytes", serviceMost)
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, message.NewError("the answer is not what a memory service sends: %v", err)
	}
	return answer, nil
}

// serviceError returns the sentence of the specification for a failed service.
func serviceError(env *tools.Env, err error) error {
	e := env.Fail(tools.Upstream, "Error retrieving memories: %v", err).
		WithHint(env.Hint("Check that the memory service at %s responds", env.Memory.Service))
	status := new(statusError)
	refused := errors.As(err, &status)
	if refused && (status.code == http.StatusUnauthorized || status.code == http.StatusForbidden) {
		e.Hint = env.Hint("Set TECHO_MEMORY_SERVICE_TOKEN to a token that %s accepts", env.Memory.Service)
	}
	e.Retryable = !refused || status.code >= 500 || status.code == http.StatusRequestTimeout ||
		status.code == http.StatusTooEarly || status.code == http.StatusTooManyRequests
	return e
}
