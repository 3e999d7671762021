// OpenAI Agents: techo's tools as function tools.
import { Agent, run, setTracingDisabled } from '@openai/agents'
import { tools } from 'techo/openai-agents'
import { request, techo } from './techo.mjs'

setTracingDisabled(true)
const agent = new Agent({ name: 'Notebook', model: process.env.OPENAI_MODEL, instructions: 'Keep what is worth remembering.', tools: await tools(techo) })
console.log((await run(agent, request)).finalOutput)
await techo.close()
