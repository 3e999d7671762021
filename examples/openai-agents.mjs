// OpenAI Agents: each definition becomes a tool() that calls techo.
import { Agent, run, setTracingDisabled, tool } from '@openai/agents'
import { call, request, tools } from './techo.mjs'

setTracingDisabled(true)
const offered = tools('openai').map(({ name, description, parameters, strict }) =>
  tool({ name, description, parameters, strict, execute: (input) => call(name, input).text }),
)
const agent = new Agent({ name: 'Notebook', model: process.env.OPENAI_MODEL, instructions: 'Keep what is worth remembering.', tools: offered })
console.log((await run(agent, request)).finalOutput)
