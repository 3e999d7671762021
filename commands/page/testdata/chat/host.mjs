// A host of MCP Apps, around the AppBridge of the official package. It shows the view of a tool's
// result in a sandbox as the specification asks for, and answers what the view asks for with a
// refusal that the test sees.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AppBridge, getToolUiResourceUri, PostMessageTransport, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge'

const clients = new Map()

// named says in an error what failed.
const named = (what, promise) => promise.catch((e) => { throw new Error(`${what}: ${e.message}`, { cause: e }) })

// clientOf returns a client of one generation of the protocol.
async function clientOf(mode) {
  if (!clients.has(mode)) {
    const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } }
    const client = new Client({ name: 'host', version: '1' }, { capabilities, versionNegotiation: { mode } })
    await named('connection', client.connect(new StreamableHTTPClientTransport(new URL('/mcp', location.href))))
    clients.set(mode, client)
  }
  return clients.get(mode)
}

window.asked = [] // what views asked the host for

// show calls a tool and shows the view of its result, or of a given one.
window.show = async ({ mode, tool, input, result, theme, text }) => {
  const client = await clientOf(mode)
  const { tools } = await named('tools', client.listTools())
  const uri = getToolUiResourceUri(tools.find((t) => t.name === tool))
  const { contents: [resource] } = await named('view', client.readResource({ uri }))
  if (resource.mimeType !== RESOURCE_MIME_TYPE || Object.keys(resource._meta.ui.csp).length) throw new Error(uri)
  result ??= await named(`call of ${tool}`, client.callTool({ name: tool, arguments: input }))
  if (text) delete result.structuredContent
  document.querySelector('iframe')?.remove()
  document.documentElement.style.colorScheme = theme
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts'
  frame.title = uri
  document.body.append(frame)
  const bridge = new AppBridge(null, { name: 'host', version: '1' },
    { serverTools: {}, serverResources: {}, openLinks: {}, message: { text: {} } }, { hostContext: { theme } })
  for (const handler of ['oncalltool', 'onmessage', 'onopenlink', 'onreadresource', 'onlistresources', 'onrequestdisplaymode']) {
    bridge[handler] = async () => (window.asked.push(handler), Promise.reject(new Error('no')))
  }
  bridge.addEventListener('sizechange', ({ height }) => { frame.style.height = `${height}px` })
  const ready = new Promise((resolve) => bridge.addEventListener('initialized', resolve))
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.srcdoc = resource.text
  await ready
  if (input) await bridge.sendToolInput({ arguments: input })
  if (result !== 'none') await bridge.sendToolResult(result)
  await named(`end of ${uri}`, bridge.teardownResource({}))
  return client.getNegotiatedProtocolVersion?.() ?? ''
}
