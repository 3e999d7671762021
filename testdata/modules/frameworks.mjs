// Runs techo's adapters in the real frameworks: node frameworks.mjs PROGRAM FRAMEWORK.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Techo } from 'techo'

const names = ['add_memo', 'get_memo', 'read_file', 'ask_user']
const request = 'Remember that Tanaka likes ramen'

const frameworks = {
  async ai(techo) {
    const { generateText, stepCountIs } = await import('ai')
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const { tools } = await import('techo/ai')
    const model = createOpenAICompatible({ name: 'scripted', baseURL: process.env.OPENAI_BASE_URL })('scripted')
    return (await generateText({ model, prompt: request, tools: await tools(techo, { names }), stopWhen: stepCountIs(9) })).text
  },
  async langchain(techo) {
    const { createAgent } = await import('langchain')
    const { ChatOpenAI } = await import('@langchain/openai')
    const { tools } = await import('techo/langchain')
    const agent = createAgent({ model: new ChatOpenAI({ model: 'scripted' }), tools: await tools(techo, { names }) })
    return (await agent.invoke({ messages: [{ role: 'user', content: request }] })).messages.at(-1).text
  },
  async 'openai-agents'(techo) {
    const { Agent, run, setTracingDisabled } = await import('@openai/agents')
    const { tools } = await import('techo/openai-agents')
    setTracingDisabled(true)
    return (await run(new Agent({ name: 'Notebook', model: 'scripted', tools: await tools(techo, { names }) }), request)).finalOutput
  },
  async anthropic(techo) {
    const { default: Anthropic } = await import('@anthropic-ai/sdk')
    const { memoryTool, tools } = await import('techo/anthropic')
    await memory(memoryTool(techo, { cache_control: { type: 'ephemeral' } }))
    const done = await new Anthropic().beta.messages.toolRunner({
      model: 'scripted', max_tokens: 100, thread: false, tools: await tools(techo, { names }), messages: [{ role: 'user', content: request }],
    })
    return done.content[0].text
  },
}

/** The memory tool answers as the page of the vendor says. */
async function memory(tool) {
  const path = '/memories/tanaka.md'
  assert.deepEqual([tool.type, tool.name, tool.cache_control], ['memory_20250818', 'memory', { type: 'ephemeral' }])
  for (const [command, done, says] of [
    [{ command: 'create', path, file_text: 'Likes ramen\n' }, true, `File created successfully at: ${path}`],
    [{ command: 'create', path, file_text: 'x' }, false, `Error: File ${path} already exists`],
    [{ command: 'view', path }, true, `Here's the content of ${path} with line numbers:\n     1\tLikes ramen`],
    [{ command: 'str_replace', path, old_str: 'ramen', new_str: 'soba' }, true, 'The memory file has been edited.'],
    [{ command: 'insert', path, insert_line: 9, insert_text: 'x' }, false, 'Error: Invalid `insert_line` parameter: 9.'],
    [{ command: 'insert', path, insert_line: 1, insert_text: 'x' }, true, `The file ${path} has been edited.`],
    [{ command: 'rename', old_path: path, new_path: '/memories/a/b' }, true, `Successfully renamed ${path} to /memories/a/b`],
    [{ command: 'delete', path: '/memories/a' }, true, 'Successfully deleted /memories/a'],
    [{ command: 'view', path }, false, `The path ${path} does not exist. Please provide a valid path.`],
    [{ command: 'view', path: '/memories/%2e%2e/x' }, false, '{"error":{"code":"forbidden"'],
  ]) {
    const [was, text] = await tool.run(tool.parse(command)).then((t) => [true, t], (e) => [false, e.content ?? e.message])
    assert(was === done && text.startsWith(says), `${JSON.stringify(command)}: ${text}`)
  }
}

/** What is found can be called, a cancelled call ends, a failure is an answer, the same call adds once. */
async function native(framework, techo) {
  const { tools } = await import(`techo/${framework}`)
  const answered = (e) => String(e.content ?? e.message ?? e)
  const call = async (name, input, id, { of = techo, signal } = {}) => {
    const own = { tools: (...args) => techo.tools(...args), answer: (...args) => of.answer(...args) } // of may be dead
    const [tool] = Object.values(await tools(own, { names: [name] }))
    const done = {
      ai: () => tool.execute(input, { toolCallId: id, abortSignal: signal }).then(JSON.stringify),
      langchain: () => tool.invoke({ type: 'tool_call', id, name, args: input }, { signal }).then((m) => m.content),
      'openai-agents': () => tool.invoke({}, JSON.stringify(input), { toolCall: { callId: id }, signal }),
      anthropic: () => tool.run(input, { toolUse: { id }, signal }),
    }[framework]
    return done().then(String, answered)
  }
  assert.match(await call('find_tools', { query: 'a to-do with a due date' }, 'find'), /add_todo/)
  const title = '牛乳 🥛'
  const added = await call('call_tool', { name: 'add_todo', input: { title } }, 'c1')
  assert(added.includes(title), added)
  await call('call_tool', { name: 'add_todo', input: { title } }, 'c1')
  assert.equal((await techo.list_todos()).total, 1)
  const ended = AbortSignal.timeout(500)
  const waits = Array.from({ length: 8 }, (_, n) => call('ask_user', { question: `q${n}`, wait: '20s' }, `q${n}`, { signal: ended }))
  const began = Date.now()
  await call('list_memo', {}, 'beside')
  await Promise.all(waits)
  assert(Date.now() - began < 5000, `${Date.now() - began} ms`)
  assert.match(await call('list_memo', {}, 'slow', { of: new Techo({ program, store, timeout: 0.001 }) }), /timeout/)
  assert.match(await call('list_memo', {}, 'dead', { of: new Techo({ server: 'http://127.0.0.1:9' }) }), /upstream/)
}

const packages = { ai: 'ai', langchain: 'langchain', 'openai-agents': '@openai/agents', anthropic: '@anthropic-ai/sdk' }

const [program, name] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'techo-'))
const store = join(folder, 'store')
const techo = new Techo({ program, store, user: 'u', lang: 'en', roots: [folder], batch: name !== 'ai' })
assert.equal((await frameworks[name](techo)).trim(), 'All done.')
assert.equal((await techo.list_memo()).total, 2)
assert.equal((await techo.list_questions()).count, 1)
await native(name, techo)
await techo.close()
const path = join('node_modules', packages[name], 'package.json')
console.log(name, packages[name], JSON.parse(readFileSync(path)).version)
