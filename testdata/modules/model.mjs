// Stands in for a model that calls tools wrongly, in parallel, refused, and with a question
// to the person: the APIs of two vendors, on this machine.
//
//   node model.mjs COMMAND…
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'

const memo = { name: 'ramen', content: 'Tanaka likes ramen', priority: 4 }
const question = { question: 'Tea or coffee?', options: ['tea', 'coffee'], wait: '0s' }

/** The calls of each turn, and what their results must contain. */
const turns = [
  [
    ['add_memo', { name: 'ramen', priority: 'high', contents: 'x' }, /invalid_input.*Did you mean 'content'/s],
    ['read_file', { path: '/etc/hostname' }, /"code":\s*"forbidden"/],
  ],
  [
    ['add_memo', memo, /Memo added/],
    ['ask_user', question, /"status":\s*"pending"/],
    ['add_memo', { ...memo, name: 'udon' }, /Memo added/],
  ],
  [['get_memo', { memo_name: 'ramen' }, /Tanaka likes ramen/]],
]
const wanted = turns.flat()
const text = (result) => JSON.stringify([result.content ?? result.output]).replaceAll('\\"', '"').replaceAll('\\"', '"')

/** The calls that come next after some results; none when all are done. */
function next(results) {
  let done = 0
  for (const turn of turns) {
    if (done === results.length) return turn.map(([name, input], i) => ({ id: `call_${done + i}`, name, input }))
    done += turn.length
  }
  return []
}

/** Compares the results with what the calls must give, in any order of parallel ones. */
function check(results, offered) {
  for (const [name] of wanted) assert(offered.includes(name), `${name} is not offered: ${offered}`)
  for (const result of results) {
    const n = Number((result.tool_call_id ?? result.call_id ?? result.tool_use_id).split('_')[1])
    assert.match(text(result), wanted[n][2], `result ${n}`)
    if ('is_error' in result) assert.equal(Boolean(result.is_error), n < 2, `is_error of ${n}`)
  }
}

const apis = {
  '/v1/messages': ({ tools, messages }) => {
    const results = messages.flatMap((m) => m.content).filter((c) => c.type === 'tool_result')
    check(results, tools.map((t) => t.name))
    const calls = next(results)
    const content = calls.length ? calls.map((c) => ({ type: 'tool_use', ...c })) : [{ type: 'text', text: 'All done.' }]
    return { id: `msg_${results.length}`, type: 'message', role: 'assistant', model: 'scripted', content, stop_reason: calls.length ? 'tool_use' : 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } }
  },
  '/v1/responses': ({ tools, input }) => {
    const results = [input].flat().filter((i) => i.type === 'function_call_output')
    check(results, tools.map((t) => t.name))
    const calls = next(results)
    const output = calls.length
      ? calls.map((c) => ({ type: 'function_call', id: `fc_${c.id}`, call_id: c.id, name: c.name, arguments: JSON.stringify(c.input), status: 'completed' }))
      : [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'All done.', annotations: [] }] }]
    return { id: `resp_${results.length}`, object: 'response', created_at: 0, model: 'scripted', status: 'completed', output, usage: { input_tokens: 1, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 }, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2 } }
  },
  '/v1/chat/completions': ({ tools, messages }) => {
    const results = messages.filter((m) => m.role === 'tool')
    check(results, tools.map((t) => t.function.name))
    const calls = next(results)
    const answer = calls.length
      ? { role: 'assistant', content: null, tool_calls: calls.map((c, index) => ({ index, id: c.id, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.input) } })) }
      : { role: 'assistant', content: 'All done.' }
    const choice = { index: 0, message: answer, delta: answer, finish_reason: calls.length ? 'tool_calls' : 'stop' }
    return { id: `chat_${results.length}`, object: 'chat.completion', created: 0, model: 'scripted', choices: [choice], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }
  },
}

const server = createServer(async (request, response) => {
  try {
    const body = JSON.parse(Buffer.concat(await request.toArray()))
    const answer = apis[request.url.split('?')[0]](body)
    if (body.stream) answer.object = 'chat.completion.chunk'
    response.setHeader('Content-Type', body.stream ? 'text/event-stream' : 'application/json')
    response.end(body.stream ? `data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n` : JSON.stringify(answer))
  } catch (fault) {
    response.statusCode = 400 // which no client sends again
    response.end(JSON.stringify({ error: { message: `${request.url}: ${fault.message}` } }))
  }
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const base = `http://127.0.0.1:${server.address().port}`
Object.assign(process.env, { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: base, OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${base}/v1` })
const [program, ...args] = process.argv.slice(2)
process.exitCode = await new Promise((ended) => spawn(program, args, { stdio: 'inherit' }).on('exit', (code) => ended(code ?? 1)))
server.close()
server.closeAllConnections()
