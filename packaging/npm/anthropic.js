// Anthropic's tool runner: techo's tools and memory for client.beta.messages.toolRunner.
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory'
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError'

export async function tools(techo, options = { profile: 'core' }) {
  return (await techo.tools('anthropic', options)).map((t) => ({
    ...t,
    parse: (input) => input, // techo checks it
    run: async (input, context) => {
      const options = { call: context?.toolUse?.id ?? context?.toolUseBlock?.id, signal: context?.signal }
      const { text, ok } = await techo.answer(t.name, input, options)
      if (!ok) throw new ToolError(text)
      return text
    },
  }))
}

const commands = ['view', 'create', 'str_replace', 'insert', 'delete', 'rename']
const done = /^(Here're|Here's|File created|The memory file|The file|Successfully) /

export function memoryTool(techo, extraProps) {
  const own = techo.withEnv({ TECHO_MEMORY_TOOL: '1' })
  const run = async (command) => {
    const { text, ok } = await own.answer('memory', command)
    const said = ok ? JSON.parse(text).text : text
    if (!ok || !done.test(said)) throw new ToolError(said)
    return said
  }
  return betaMemoryTool(Object.fromEntries(commands.map((name) => [name, run])), extraProps)
}
