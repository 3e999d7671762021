// OpenAI Agents: each definition becomes a tool() that calls techo.
import { Agent, RunContext, run, setTracingDisabled, tool } from '@openai/agents'
import { call, memo, request, tools } from './techo.mjs'

setTracingDisabled(true)
const offered = tools('openai').map(({ name, description, parameters, strict }) =>
  tool({ name, description, parameters, strict, execute: (input) => call(name, input).text }),
)
const agent = new Agent({ name: 'Notebook', model: process.env.OPENAI_MODEL, instructions: 'Keep what is worth remembering.', tools: offered })

if (process.env.OPENAI_API_KEY) {
  console.log((await run(agent, request)).finalOutput)
} else {
  const add = agent.tools.find((t) => t.name === 'add_memo')
  console.log(JSON.parse(await add.invoke(new RunContext(), JSON.stringify({ ...memo, tags: null, detail: null }))).message)
}
