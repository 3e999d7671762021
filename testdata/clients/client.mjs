// The official client of TypeScript: it compiles every schema, calls every
// tool with nothing, and wants of each an answer that is a result or an error
// with a code.
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import Ajv from 'ajv/dist/2020.js'

const transport = new StdioClientTransport({ command: process.argv[2], args: ['mcp'], env: process.env })
const client = new Client({ name: 'test', version: '1' }, { capabilities: {} })
await client.connect(transport)
const { tools } = await client.listTools()
assert(tools.length > 0)
const ajv = new Ajv({ strict: true, allErrors: true })
const call = async (name, input) => {
  const r = await client.callTool({ name, arguments: input }) // checks the structure against the output's schema
  assert.equal(r.content.length, 1, name)
  const said = JSON.parse(r.content[0].text)
  if (r.isError) assert(said.error.code, name)
  else assert.deepEqual(said, r.structuredContent, name)
  return said
}
for (const tool of tools) {
  ajv.compile(tool.inputSchema)
  const valid = ajv.compile(tool.outputSchema)
  const said = await call(tool.name, {})
  assert(said.error || valid(said), `${tool.name}: ${JSON.stringify(valid.errors)}`)
}
assert.equal((await call('add_memo', { name: 'b', content: 'x', priority: 2 })).memo.name, 'b')
assert.equal((await call('get_memo', { memo_name: 'nope' })).error.code, 'not_found')
await assert.rejects(client.callTool({ name: 'nope', arguments: {} }), /-32602/)
await client.close()
