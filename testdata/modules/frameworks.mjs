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
    const { tools } = await import('techo/anthropic')
    const done = await new Anthropic().beta.messages.toolRunner({
      model: 'scripted', max_tokens: 100, thread: false, tools: await tools(techo, { names }), messages: [{ role: 'user', content: request }],
    })
    return done.content[0].text
  },
}
const packages = { ai: 'ai', langchain: 'langchain', 'openai-agents': '@openai/agents', anthropic: '@anthropic-ai/sdk' }

const [program, name] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'techo-'))
const techo = new Techo({ program, store: join(folder, 'store'), user: 'u', lang: 'en', roots: [folder], batch: name !== 'ai' })
assert.equal((await frameworks[name](techo)).trim(), 'All done.')
assert.equal((await techo.list_memo()).total, 2)
assert.equal((await techo.list_questions()).count, 1)
await techo.close()
const path = join('node_modules', packages[name], 'package.json')
console.log(name, packages[name], JSON.parse(readFileSync(path)).version)
