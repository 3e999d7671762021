// Stands in for a model: the APIs that the examples use, on this machine. The model
// calls a tool with wrong arguments, then with right ones, and says what the result says.
//
//   import './scripted.mjs'                         for this process
//   node scripted.mjs python3 anthropic_messages.py for a command
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const wanted = { name: 'add_memo', input: { name: 'ramen', content: 'Tanaka likes ramen', priority: 4 } }

/** Whether a request offers the tool, in the form of its API: schema is where. */
const offers = (tools, of) => {
  const add = tools.map(of).find((t) => t?.name === wanted.name)
  assert(add && add.schema.type === 'object' && add.schema.properties.name && add.schema.required.includes('priority'), 'add_memo is not offered')
}
const wrong = { name: 'add_memo', input: { name: 'ramen', priority: 'high', contents: 'x' } }
const text = (result) => [result.content ?? result.output].flat()[0].text ?? result.content ?? result.output

/** What the model does next: the next of its calls, or say the message of the last result. */
const next = (results, calls) => {
  if (results.length === 1) assert.match(text(results[0]), /invalid_input/, 'the wrong arguments are not reported')
  return results.length < calls.length ? { call: calls[results.length] } : { said: JSON.parse(text(results.at(-1))).message }
}
const broken = { name: 'add_memo', input: '{"name": "ramen", ' } // not for Anthropic's API, whose arguments are objects
const json = ({ input }, more) => (typeof input === 'string' ? input : JSON.stringify({ ...input, ...more }))

// The number of results shows how far a conversation is.
const apis = {
  '/v1/messages': ({ tools, messages }) => {
    offers(tools, (t) => ({ name: t.name, schema: t.input_schema }))
    const results = messages.flatMap((m) => m.content).filter((c) => c.type === 'tool_result')
    const { call, said } = next(results, [wrong, wanted])
    const content = call ? { type: 'tool_use', id: `toolu_${results.length}`, ...call } : { type: 'text', text: said }
    return { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [content], stop_reason: call ? 'tool_use' : 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } }
  },
  '/v1/responses': ({ tools, input }) => {
    offers(tools, (t) => ({ name: t.name, schema: t.parameters }))
    const results = [input].flat().filter((i) => i.type === 'function_call_output')
    const { call, said } = next(results, [wrong, broken, wanted])
    const output = call
      ? { type: 'function_call', id: `fc_${results.length}`, call_id: `call_${results.length}`, name: call.name, arguments: json(call, { tags: null, detail: null }), status: 'completed' }
      : { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: said, annotations: [] }] }
    return { id: 'resp_1', object: 'response', created_at: 0, model: 'scripted', status: 'completed', output: [output], usage: { input_tokens: 1, input_tokens_details: { cached_tokens: 0 }, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2 } }
  },
  '/v1/chat/completions': ({ tools, messages, stream }) => {
    offers(tools, (t) => ({ name: t.function.name, schema: t.function.parameters }))
    const results = messages.filter((m) => m.role === 'tool')
    const { call, said } = next(results, stream ? [wrong, wanted] : [wrong, broken, wanted]) // Strands streams, and fails at broken JSON
    const answer = call
      ? { role: 'assistant', content: null, tool_calls: [{ index: 0, id: `call_${results.length}`, type: 'function', function: { name: call.name, arguments: json(call) } }] }
      : { role: 'assistant', content: said }
    const choice = { index: 0, message: answer, delta: answer, finish_reason: call ? 'tool_calls' : 'stop' }
    return { id: 'chat_1', created: 0, model: 'scripted', choices: [choice], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }
  },
}

const server = createServer(async (request, response) => {
  try {
    const body = JSON.parse(Buffer.concat(await request.toArray()))
    const answer = JSON.stringify(apis[request.url](body))
    response.setHeader('Content-Type', body.stream ? 'text/event-stream' : 'application/json')
    response.end(body.stream ? `data: ${answer}\n\ndata: [DONE]\n\n` : answer)
  } catch (fault) {
    response.statusCode = 400 // which no client sends again
    response.end(JSON.stringify({ error: { message: `${request.url}: ${fault.message}` } }))
  }
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
server.unref() // an example ends when it is done
const base = `http://127.0.0.1:${server.address().port}`
Object.assign(process.env, {
  ANTHROPIC_API_KEY: 'none', ANTHROPIC_MODEL: 'scripted', ANTHROPIC_BASE_URL: base,
  OPENAI_API_KEY: 'none', OPENAI_MODEL: 'scripted', OPENAI_BASE_URL: `${base}/v1`,
})

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  server.ref()
  const [program, ...args] = process.argv.slice(2)
  process.exitCode = await new Promise((ended) => spawn(program, args, { stdio: 'inherit' }).on('exit', (code) => ended(code ?? 1)))
  server.close()
  server.closeAllConnections()
}
