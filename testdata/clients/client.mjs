// The official client of TypeScript compiles every schema and calls every tool
// twice, with a valid input and with none. Each answer must be a result that fits
// the schema, or an error with a code.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import Ajv from 'ajv/dist/2020.js'

const site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<title>ラーメン</title><p>A page'))
await new Promise((listening) => site.listen(0, '127.0.0.1', listening))
const url = `http://127.0.0.1:${site.address().port}/`

const env = { ...process.env, TECHO_USER: 'u', TECHO_MEMORY: '1', TECHO_MEMORY_CONTEXT: '1', TECHO_WEB_ALLOW: '127.0.0.1' }
const transport = new StdioClientTransport({ command: process.argv[2], args: ['mcp', '--profile', 'full', '--result-schemas', '--audience', 'host'], env })
const client = new Client({ name: 'test', version: '1' }, { capabilities: {} })
await client.connect(transport)
const { tools } = await client.listTools()
const ajv = new Ajv({ strict: true, allErrors: true })
const valid = Object.fromEntries(tools.map((tool) => (ajv.compile(tool.inputSchema), [tool.name, ajv.compile(tool.outputSchema)])))
const call = async (name, input) => {
  const r = await client.callTool({ name, arguments: input }) // checks the structure against the output's schema
  assert.equal(r.content.length, 1, name)
  const said = JSON.parse(r.content[0].text)
  if (r.isError) assert(said.error.code, name)
  else {
    assert.deepEqual(said, r.structuredContent, name)
    assert(said.message, name)
    assert(valid[name](said), `${name}: ${JSON.stringify(valid[name].errors)}`)
  }
  return said
}

// The valid inputs; each can use the results of the calls before it.
const day = '2026-03-02'
const good = [
  ['add_memo', () => ({ name: 'b', content: '好き', priority: 2, tags: ['food'] })],
  ['edit_memo', () => ({ memo_name: 'b', detail: 'more' })],
  ['get_memo', () => ({ memo_name: 'b' })],
  ['list_memo', () => ({ tag: 'food', limit: 5 })],
  ['list_memo_tags', () => ({})],
  ['memo_context', () => ({ for: 'judgment' })],
  ['list_spaces', () => ({})],
  ['list_space_members', () => ({ space: 'team' })],
  ['move_memo', () => ({ memo_name: 'b', to_space: 'team' })],
  ['remove_memo', () => ({ memo_name: 'b', space: 'team' })],
  ['add_memory', () => ({ full_text: 'Max is a dog. He likes rain.' })],
  ['memory_timeline', (said) => ({ id: said.add_memory.memory.id })],
  ['reindex_memories', () => ({})],
  ['confirm_memory', (said) => ({ ids: [said.add_memory.memory.id] })],
  ['check_memory', () => ({})],
  ['review_memories', () => ({})],
  ['get_memory', (said) => ({ id: said.add_memory.memory.id })],
  ['edit_memory', (said) => ({ id: said.add_memory.memory.id, caption: 'Max' })],
  ['list_memory', () => ({ limit: 1 })],
  ['search_memory', () => ({ query: 'Who is Max?' })],
  ['memory_context', () => ({ message: 'Does Max like rain?' })],
  ['investigate_memory', (said) => ({ memory_ids: [said.add_memory.memory.id] })],
  ['supersede_memory', (said) => ({ memory_id: said.add_memory.memory.id, full_text: 'Max is a cat.' })],
  ['merge_memories', (said) => ({ ids: [said.supersede_memory.memory.id, said.add_memory.memory.id] })],
  ['move_memory', (said) => ({ id: said.supersede_memory.memory.id, to_space: 'team' })],
  ['remove_memory', (said) => ({ ids: [said.supersede_memory.memory.id, 'mem_nope'], space: 'team' })],
  ['create_event', () => ({ title: '会議', start: `${day} 10:00` })],
  ['get_event', (said) => ({ event_id: said.create_event.event.event_id })],
  ['update_event', (said) => ({ event_id: said.create_event.event.event_id, location: 'A' })],
  ['move_event', (said) => ({ event_id: said.create_event.event.event_id, to_calendar: 'work' })],
  ['list_calendars', () => ({})],
  ['list_events', () => ({ date: day })],
  ['check_availability', () => ({ check_type: 'day', date: day })],
  ['suggest_schedule', () => ({ date_from: day, date_to: day, duration_minutes: 30 })],
  ['delete_event', (said) => ({ event_id: said.create_event.event.event_id })],
  ['add_todo', () => ({ title: '牛乳を買う', due: day })],
  ['get_todo', (said) => ({ todo_id: said.add_todo.todo.todo_id })],
  ['edit_todo', (said) => ({ todo_id: said.add_todo.todo.todo_id, priority: 1 })],
  ['move_todo', (said) => ({ todo_id: said.add_todo.todo.todo_id, to_calendar: 'work' })],
  ['list_todos', () => ({ status: 'open' })],
  ['complete_todo', (said) => ({ todo_id: said.add_todo.todo.todo_id })],
  ['remove_todo', (said) => ({ todo_id: said.add_todo.todo.todo_id })],
  ['write_file', () => ({ path: 'a.txt', content: 'one\ntwo\n' })],
  ['read_file', () => ({ path: 'a.txt' })],
  ['edit_file', () => ({ path: 'a.txt', old_string: 'two', new_string: '2' })],
  ['grep', () => ({ pattern: 'one', path: 'a.txt' })],
  ['glob', () => ({ pattern: 'a.*' })],
  ['undo_edit', () => ({ path: 'a.txt' })],
  ['insert_text', () => ({ path: 'a.txt', line: 1, text: 'half' })],
  ['apply_patch', () => ({ patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n' })],
  ['list_files', () => ({ path: '.' })],
  ['create_folder', () => ({ path: 'c' })],
  ['move_file', () => ({ from: 'a.txt', to: 'b.txt' })],
  ['remove_file', () => ({ path: 'b.txt' })],
  ['ask_user', () => ({ question: 'Which?', options: ['x', 'y'], wait: '0s' })],
  ['list_questions', () => ({})],
  ['wait_for_answer', (said) => ({ question_id: said.ask_user.question_id, wait: 0 })],
  ['web_fetch', () => ({ url })],
  ['list_history', () => ({ limit: 5 })],
  ['show_change', (said) => ({ id: said.list_history.changes[0].id })],
  ['settle_conflict', () => ({ number: 1, keep: 'present' })],
  ['current_time', () => ({})],
  ['find_tools', () => ({ query: 'to-do' })],
  ['call_tool', () => ({ name: 'current_time', input: {} })],
]
const said = {}
for (const [name, input] of good) {
  said[name] = await call(name, input(said))
  const wanted = name === 'settle_conflict' ? 'not_found' : undefined // one machine has no conflicts
  assert.equal(said[name].error?.code, wanted, `${name}: ${JSON.stringify(said[name])}`)
}
assert.deepEqual(good.map(([name]) => name).sort(), tools.map((tool) => tool.name).sort())
const answer = { question_id: said.ask_user.question_id, answer: '2' }
assert.equal((await call('answer_question', answer)).error.code, 'unavailable') // the session that asked cannot answer
assert.equal(said.web_fetch.title, 'ラーメン')

for (const tool of tools) await call(tool.name, {})
assert.equal((await call('get_memo', { memo_name: 'nope' })).error.code, 'not_found')
await assert.rejects(client.callTool({ name: 'nope', arguments: {} }), /-32602/)
await client.close()
site.close()
