// Strands Agents, over MCP: the agent starts techo and asks it for its tools.
import { Agent, McpClient } from '@strands-agents/sdk'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { memo, request } from './techo.mjs'

const techo = new McpClient({ transport: new StdioClientTransport({ command: 'techo', args: ['mcp'], env: process.env }) })
const offered = await techo.listTools()
if (process.env.AWS_REGION) {
  console.log(String(await new Agent({ tools: offered }).invoke(request)))
} else {
  const add = offered.find((t) => t.name === 'add_memo')
  const said = await techo.callTool(add, memo)
  console.log(said.structuredContent.message)
}
await techo.disconnect()
