package commands

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/tools"
	"techo/tools/calendar"
)

// mcpIn is the input of the command mcp.
type mcpIn struct {
	HTTP     *string  `json:"http" en:"Speak over HTTP at HOST:PORT or unix:PATH, not over stdin and stdout" ja:"標準入出力ではなく HOST:PORT か unix:PATH の HTTP で待ち受ける"`
	Only     []string `json:"only,omitempty" en:"Offer only these families or tools, e.g. memo,grep" ja:"提供する分類またはツール（例: memo,grep）"`
	ReadOnly bool     `json:"read_only,omitempty" en:"Offer only what changes nothing" ja:"変更しないツールだけを提供する"`
	Hosts    []string `json:"hosts,omitempty" en:"With --http: a name that clients call this server by, besides its address and localhost" ja:"--http 用。アドレスと localhost 以外に、クライアントが使うサーバー名"`
	Install  *string  `json:"install" enum:"claude,codex,cursor,gemini" en:"Write this command, with these flags, into a client's configuration, and end" ja:"このコマンドとフラグをクライアントの設定に登録して終了する"`
	Project  bool     `json:"project,omitempty" en:"With --install: the configuration of this folder's project, not your own" ja:"--install 用。自分の設定ではなく、このフォルダのプロジェクトの設定に登録する"`
	DryRun   bool     `json:"dry_run,omitempty" en:"With --install: change nothing, say what would be" ja:"--install 用。変更せず、内容だけを示す"`
}

// mcpCommand is the face for clients of the Model Context Protocol.
func mcpCommand() *command {
	return answering(tools.Tool{
		Command: "mcp",
		About:   tools.Say{EN: "Offer the tools over MCP", JA: "MCP でツールを提供する"},
		More: tools.Say{
			EN: "Speaks the Model Context Protocol on stdin and stdout until stdin ends, all versions from 2024-11-05 to 2026-07-28. A client starts it with the command techo and the argument mcp; other commands, and other servers, use the same store meanwhile. The user, the language and the zone are this command's flags, no model chooses them.",
			JA: "標準入出力で Model Context Protocol（2024-11-05 から 2026-07-28 までの全版）を話し、標準入力が終わると終了する。クライアントにはコマンド techo と引数 mcp を設定する。同じストアは他のコマンドやサーバーからも同時に使える。ユーザー、言語、タイムゾーンはこのコマンドのフラグで決まり、モデルは選べない。",
		},
		Examples: []tools.Example{
			{Does: tools.Say{EN: "Tell a client of it, once", JA: "クライアントに登録する"}, Line: "mcp --install claude --dry-run"},
			{Does: tools.Say{EN: "Answer what is on stdin", JA: "標準入力の要求に答える"}, Line: "mcp --read-only < requests.jsonl"},
		},
	}, doMCP)
}

func doMCP(ctx context.Context, s *session, in mcpIn) int {
	if e := in.clash(s.env()); e != nil {
		return s.fail(e)
	}
	h, e := newHost(s, narrowIn{in.Only, in.ReadOnly})
	switch {
	case e != nil:
		return s.fail(e)
	case in.Install != nil:
		return s.install(in)
	}
	if in.HTTP != nil {
		f := &httpFace{host: h, guard: guard{names: in.Hosts}, bare: true}
		f.mcp = mcpHandler(newMCP(h))
		return s.listenAndServe(ctx, *in.HTTP, f, slog.New(slog.NewTextHandler(s.Stderr, nil)))
	}
	work, end := context.WithCancel(ctx)
	defer end()
	h.work = work
	err := newMCP(h).Run(ctx, &pipeTransport{in: s.Stdin, out: s.Stdout, finish: finishCalls, end: end})
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, context.Canceled):
		return 0 // stdout is the protocol's: no document
	}
	slog.New(slog.NewTextHandler(s.Stderr, nil)).Error("mcp", "error", err)
	return exitCode(tools.Internal)
}

// clash is the error of flags that mean nothing together.
func (in mcpIn) clash(env *tools.Env) *tools.Error {
	var faults []tools.Detail
	add := func(wrong bool, field string, why tools.Say) {
		if wrong {
			faults = append(faults, tools.Detail{Path: "/" + field, Message: env.Say(why)})
		}
	}
	needs := tools.Say{EN: "needs --install", JA: "には --install が必要です"}
	add(in.Install == nil && in.Project, "project", needs)
	add(in.Install == nil && in.DryRun, "dry_run", needs)
	add(in.Install != nil && in.HTTP != nil, "http", tools.Say{EN: "cannot be installed: a client starts techo itself", JA: "は登録できません（クライアントが techo を起動します）"})
	add(in.HTTP == nil && len(in.Hosts) > 0, "hosts", tools.Say{EN: "needs --http", JA: "には --http が必要です"})
	if len(faults) == 0 {
		return nil
	}
	e := env.Fail(tools.InvalidInput, tools.Say{EN: "These flags do not go together", JA: "同時に指定できないフラグがあります"}).
		WithHint(env.Say(tools.Say{EN: "See techo mcp --help", JA: "techo mcp --help を参照してください"}))
	e.Details = faults
	return e
}

// instructions tell a model what the tools together are for.
func instructions() tools.Say {
	return tools.Say{
		EN: "techo is your notebook and toolbox. Keep what is worth remembering, look it up before you answer, and follow the hint of an error. Every result is one JSON object; an error says whether the same call may succeed later (retryable).",
		JA: "techo はあなたの手帳と道具箱です。覚えておくべきことを残し、答える前に調べ、エラーでは hint に従ってください。結果は常に一つの JSON オブジェクトで、エラーの retryable は同じ呼び出しが後で成功しうるかを示します。",
	}
}

// newMCP makes the protocol's server for a host.
func newMCP(h *host) *mcp.Server {
	f := &mcpFace{h, []byte(rand.Text())}
	env := h.env()
	server := mcp.NewServer(&mcp.Implementation{
		Name: program, Version: version,
		Title: env.Say(tools.Say{EN: "techo, the notebook of an agent", JA: "techo（手帳）"}),
	}, &mcp.ServerOptions{
		Instructions: env.Say(instructions()),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	names := []string{calendar.Dispatcher}
	for _, t := range h.offered {
		names = append(names, t.Name)
	}
	for _, name := range names {
		// What a client sees of it is made for each listing, in its language.
		server.AddTool(&mcp.Tool{Name: name, InputSchema: anyObject}, f.callTool)
	}
	server.AddReceivingMiddleware(f.receive)
	return server
}
