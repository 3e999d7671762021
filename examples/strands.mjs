// Strands Agents, over MCP: the agent starts techo and asks it for its tools.
import { Agent, McpClient } from '@strands-agents/sdk'
import { OpenAIModel } from '@strands-agents/sdk/models/openai'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { request } from './techo.mjs'

const techo = new McpClient({ transport: new StdioClientTransport({ command: 'techo', args: ['mcp'], env: process.env }) })
const model = new OpenAIModel({ api: 'chat', modelId: process.env.OPENAI_MODEL, clientConfig: { baseURL: process.env.OPENAI_BASE_URL } })
const agent = new Agent({ model, tools: [techo], printer: false })
console.log(String(await agent.invoke(request)))
await techo.disconnect()
