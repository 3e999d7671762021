package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/page"
	"techo/commands/run"
	"techo/export"
	"techo/tools"
	"techo/tools/calendar"
	"techo/tools/jsontree"
)

// # Resources
//
// Memos, memories and coming events are resources, which a person attaches to a message. They
// are the results of tools under the URIs techo://KIND/ID: one tool lists them, another one reads
// them. So a caller who is not offered these tools has no such resources.

const (
	scheme = "techo://"

	// resourcePage is the most resources of a page of the list.
	resourcePage = 100

	// maxEvents is the most coming events that the list has.
	maxEvents = 10_000
)

type resourceKind struct {
	name, variable   string // in URIs, and in their template
	list, read, key  string // two tools, and the field that names what is read
	title, about     tools.Text
	rows             func(listed) []row
	first, lastEvent string // of events, the days that are listed
}

// listed is a page that a tool lists.
type listed struct {
	Total    int   `json:"total"`
	Memos    []row `json:"memos"`
	Memories []row `json:"memories"`
	Events   []row `json:"events"`
}

// row is a record in a list.
type row struct {
	Name      string   `json:"name"` // of a memo
	Content   string   `json:"content"`
	ID        string   `json:"id"` // of a memory
	Caption   string   `json:"caption"`
	Topic     string   `json:"topic"`
	EventID   string   `json:"event_id"`
	Title     string   `json:"title"`
	Start     string   `json:"start"`
	Recurring string   `json:"recurring_event_id"`
	Tags      []string `json:"tags"`
}

// resourceKinds returns the kinds in the order of the list.
func resourceKinds() []resourceKind {
	return []resourceKind{
		{name: "memo", variable: "name", list: "list_memo", read: "get_memo", key: "memo_name", title: "A memo",
			about: "A memo by its name, as get_memo returns it", rows: func(l listed) []row { return l.Memos }},
		{name: "memory", variable: "id", list: "list_memory", read: "get_memory", key: "id", title: "A memory",
			about: "A memory by its id, as get_memory returns it", rows: func(l listed) []row { return l.Memories }},
		{name: "event", variable: "id", list: "list_events", read: "get_event", key: "event_id", title: "An event",
			about: "An event by its id, as get_event returns it; the list has the events of the next 60 days, " +
				"without those of calendars at Google",
			rows: func(l listed) []row { return l.Events }, first: "today", lastEvent: "+60d"},
	}
}

func (k resourceKind) uri(id string) string {
	return scheme + k.name + "/" + strings.ReplaceAll(url.QueryEscape(id), "+", "%20")
}

// resource describes a record. Its title is one line.
func (k resourceKind) resource(r row) *mcp.Resource {
	d := &mcp.Resource{MIMEType: "application/json"}
	switch k.name {
	case "memo":
		d.URI, d.Name, d.Description = k.uri(r.Name), r.Name, r.Content
	case "memory":
		d.URI, d.Name = k.uri(r.ID), export.OneLine(r.Caption)
	default:
		d.URI, d.Name, d.Description = k.uri(r.EventID), export.OneLine(r.Title), r.Start
	}
	if d.Name == "" {
		d.Name = d.URI
	}
	return d
}

// resourceOf returns the kind and the id of a URI. It may be written without escapes.
func resourceOf(uri string) (k resourceKind, id string, ok bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	name, escaped, _ := strings.Cut(rest, "/")
	kinds := resourceKinds()
	i := slices.IndexFunc(kinds, func(k resourceKind) bool { return k.name == name })
	id, err := url.PathUnescape(escaped)
	if !ok || i < 0 || err != nil || id == "" {
		return k, "", false
	}
	return kinds[i], id, true
}

// records are the records that a caller can read.
type records struct {
	run  *run.Run
	call func(context.Context, *tools.Env, *tools.Tool, tools.Call) (*tools.Result, *tools.Error)
}

// records returns the records of the caller of a request, within the limits of the server.
func (a *adapter) records(ctx context.Context, r mcp.Request) records {
	s, _ := a.runFor(ctx, r)
	return records{s, a.host.Call}
}

// quiet returns the records for the server's own looks, which no limit counts.
func (l records) quiet() records {
	l.call = func(ctx context.Context, env *tools.Env, t *tools.Tool, call tools.Call) (*tools.Result, *tools.Error) {
		return t.Invoke(ctx, env, call)
	}
	return l
}

// invoke calls a tool. One that is not offered, or switched off, is unavailable.
func (l records) invoke(ctx context.Context, tool string, input []jsontree.Field, bytes int) (*tools.Result,
	*tools.Error) {
	t, e := l.run.Tool(tool)
	if e != nil {
		e.Code = tools.Unavailable
		return nil, e
	}
	return l.call(ctx, l.run.Env(), t, tools.Call{Input: jsontree.AppendObject(nil, input), MaxBytes: bytes,
		NoText: true, Timeout: l.run.Options.Timeout})
}

// rows returns n records of a kind after some others, and the number of all.
func (l records) rows(ctx context.Context, k resourceKind, skip, n int) ([]row, int, *tools.Error) {
	input := []jsontree.Field{{Name: "offset", Value: number(skip)}, {Name: "limit", Value: number(n)}}
	if k.first != "" {
		own, e := l.ownCalendars(ctx)
		if e != nil {
			return nil, 0, e
		}
		input = []jsontree.Field{
			{Name: "date_from", Value: jsontree.AppendText(nil, k.first)},
			{Name: "date_to", Value: jsontree.AppendText(nil, k.lastEvent)},
			{Name: "limit", Value: number(min(skip+n, maxEvents))},
			{Name: "calendars", Value: own},
		}
	}
	result, e := l.invoke(ctx, k.list, input, tools.Unlimited)
	if e != nil {
		return nil, 0, e
	}
	var page listed
	if err := json.Unmarshal(result.JSON, &page); err != nil {
		panic(err) // a tool wrote it
	}
	rows := k.rows(page)
	if k.first != "" {
		rows, page.Total = rows[min(skip, len(rows)):], min(page.Total, maxEvents)
	}
	return rows, page.Total, nil
}

// ownCalendars returns the names of the user's calendars whose events are in the store.
func (l records) ownCalendars(ctx context.Context) ([]byte, *tools.Error) {
	names := []string{""}
	if result, e := l.invoke(ctx, calendar.Calendars.Name, nil, tools.Unlimited); e == nil {
		var all struct {
			Calendars []struct{ Name, Space, Kind string }
		}
		if err := json.Unmarshal(result.JSON, &all); err != nil {
			panic(err) // a tool wrote it
		}
		names = nil
		for _, c := range all.Calendars {
			if c.Space == "" && c.Kind != "google" {
				names = append(names, c.Name)
			}
		}
	} else if e.Code != tools.Unavailable {
		return nil, e
	}
	b, err := jsontree.Marshal(names)
	if err != nil {
		panic(err) // strings
	}
	return b, nil
}

func number(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }

// list returns the page of the list that begins at a cursor, and the cursor of the next one.
func (l records) list(ctx context.Context, cursor string) (page []*mcp.Resource, next string, err error) {
	kinds := resourceKinds()
	at, skip, ok := openCursor(cursor, len(kinds))
	if !ok {
		return nil, "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid cursor"}
	}
	page = []*mcp.Resource{}
	for ; at < len(kinds); at, skip = at+1, 0 {
		left := resourcePage - len(page)
		if left == 0 {
			return page, sealCursor(at, skip), nil
		}
		rows, total, e := l.rows(ctx, kinds[at], skip, left)
		if e != nil && e.Code == tools.Unavailable {
			continue
		} else if e != nil {
			return nil, "", protocolError(e)
		}
		for _, r := range rows {
			page = append(page, kinds[at].resource(r))
		}
		if skip += len(rows); skip < total && len(rows) > 0 {
			return page, sealCursor(at, skip), nil
		}
	}
	return page, "", nil
}

func sealCursor(kind, skip int) string { return strconv.Itoa(kind) + "." + strconv.Itoa(skip) }

func openCursor(cursor string, kinds int) (kind, skip int, ok bool) {
	if cursor == "" {
		return 0, 0, true
	}
	first, second, _ := strings.Cut(cursor, ".")
	kind, err := strconv.Atoi(first)
	skip, err2 := strconv.Atoi(second)
	return kind, skip, err == nil && err2 == nil && kind >= 0 && kind < kinds && skip >= 0
}

// resourceList answers resources/list. The library answers with an empty list that is then filled.
func (a *adapter) resourceList(ctx context.Context, r *mcp.ListResourcesRequest, next mcp.MethodHandler,
	method string) (mcp.Result, error) {
	cursor := ""
	if r.Params != nil {
		cursor, r.Params.Cursor = r.Params.Cursor, ""
	}
	all := a.records(ctx, r)
	page, following, err := all.list(ctx, cursor)
	if err == nil {
		err = a.watcher.watchSession(ctx, r.Session, all, "")
	}
	if err != nil {
		return nil, err
	}
	result, err := next(ctx, method, r)
	if list, ok := result.(*mcp.ListResourcesResult); ok && err == nil {
		list.Resources, list.NextCursor = page, following
	}
	return result, err
}

// listTemplates describes the URIs of the kinds that a caller can read.
func listTemplates(s *run.Run) []*mcp.ResourceTemplate {
	env, all := s.Env(), []*mcp.ResourceTemplate{}
	for _, k := range resourceKinds() {
		if offered(s, k.read) {
			all = append(all, &mcp.ResourceTemplate{Name: k.name, Title: env.Localize(k.title),
				Description: env.Localize(k.about), MIMEType: "application/json",
				URITemplate: scheme + k.name + "/{" + k.variable + "}"})
		}
	}
	return all
}

// offered reports whether a caller can call a tool.
func offered(s *run.Run, name string) bool {
	t, e := s.Tool(name)
	return e == nil && (t.When == nil || t.When(s.Env()) == nil)
}

// readAs answers resources/read for a URI in any spelling: the library knows escaped ones.
func readAs(ctx context.Context, r *mcp.ReadResourceRequest, next mcp.MethodHandler, method string) (mcp.Result,
	error) {
	given := r.Params.URI
	k, id, ok := resourceOf(given)
	if !ok {
		return nil, noResource(given)
	}
	r.Params.URI = k.uri(id)
	result, err := next(ctx, method, r)
	if read, ok := result.(*mcp.ReadResourceResult); ok && err == nil {
		for _, c := range read.Contents {
			c.URI = given
		}
	}
	return result, err
}

// readResource reads a resource. Its text is the document of the tool. A view is a resource as well.
func (a *adapter) readResource(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	if strings.HasPrefix(r.Params.URI, viewScheme) {
		s, _ := a.runFor(ctx, r)
		return readView(s, r)
	}
	document, err := a.records(ctx, r).read(ctx, r.Params.URI)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: r.Params.URI, MIMEType: "application/json", Text: string(document)}}}, nil
}

func (l records) read(ctx context.Context, uri string) ([]byte, error) {
	k, id, ok := resourceOf(uri)
	if !ok {
		return nil, noResource(uri)
	}
	input := []jsontree.Field{{Name: k.key, Value: jsontree.AppendText(nil, id)}}
	result, e := l.invoke(ctx, k.read, input, onceBytes)
	switch {
	case e == nil:
		return result.JSON, nil
	case e.Code == tools.NotFound, e.Code == tools.Unavailable, e.Code == tools.InvalidInput:
		return nil, noResource(uri)
	}
	return nil, protocolError(e)
}

// noResource is the protocol's error for a resource that does not exist, or not for this caller.
func noResource(uri string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found",
		Data: jsontree.AppendObject(nil, []jsontree.Field{{Name: "uri", Value: jsontree.AppendText(nil, uri)}})}
}

// protocolError returns the protocol's error for an error of techo.
func protocolError(e *tools.Error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Message,
		Data: run.Document(e.Shorten(onceBytes / 2))}
}

// # Views
//
// A host that knows the extension MCP Apps shows the results of some tools in a view, a page
// in a sandbox. The extension lets a view call tools, but no host has to prove that a person wanted
// the call. So views only show, and answers come from where they count. Other hosts get the result
// as text, as always.

const (
	// viewExtension is the name of the extension in capabilities.
	viewExtension = "io.modelcontextprotocol/ui"

	viewType   = "text/html;profile=mcp-app"
	viewScheme = "ui://techo/"
)

// viewOf returns the name of the view that shows the results of a tool, or "".
func viewOf(tool string) string {
	switch tool {
	case askName:
		return "question"
	case "suggest_schedule":
		return "times"
	case "review_memories":
		return "review"
	case "show_change", "edit_file", "insert_text", "apply_patch", "undo_edit":
		return "difference"
	}
	return ""
}

// showsViews reports whether a client shows views, or may: without sessions, clients before
// protocol 2026-07-28 name their extensions in another request.
func showsViews(r *mcp.ListToolsRequest, session bool) bool {
	if client := r.ClientCapabilities(); client != nil && client.Extensions[viewExtension] != nil {
		return true
	}
	return !session && r.ProtocolVersion() < inputRequestVersion
}

// linkViews links the tools of a list to the views of their results.
func linkViews(listed []listedTool) {
	for _, t := range listed {
		if name := viewOf(t.Name); name != "" {
			uri := viewScheme + name
			// Older hosts know the second form.
			t.Meta = mcp.Meta{"ui": map[string]any{"resourceUri": uri}, "ui/resourceUri": uri}
		}
	}
}

// readView reads the document of a view, in the caller's language. It has no data of the store.
func readView(s *run.Run, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	document, ok := page.ChatView(strings.TrimPrefix(r.Params.URI, viewScheme), string(s.Env().Lang))
	if !ok {
		return nil, noResource(r.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: r.Params.URI, MIMEType: viewType, Text: document,
		Meta: mcp.Meta{"ui": map[string]any{"csp": map[string]any{}, "prefersBorder": false}}, // no network
	}}}, nil
}
