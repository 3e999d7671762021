// OpenAI Agents: techo's tools as function tools.
import { tool } from '@openai/agents'

export async function tools(techo, options = { profile: 'core' }) {
  return (await techo.tools('openai', options)).map(({ name, description, parameters, strict }) => ({
    ...tool({ name, description, parameters, strict, execute: () => '' }),
    invoke: async (_, input, details) => {
      const options = { call: details?.toolCall?.callId, signal: details?.signal }
      return (await techo.answer(name, input, options)).text // techo reads the JSON
    },
  }))
}
