// The protocol of MCP Apps between a view in a chat and its host: JSON-RPC in messages of windows.
// A view shows one call of a tool. It calls no tools, sends no words to the chat and opens no links.

const host = window.parent;

// Only the name, the height and replies without content are sent, so any host may read them.
const send = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");

/** Calls onChange({input, result, cancelled}) with what is known about the call, whenever that grows. */
export function connect(onChange) {
  let call = { input: null, result: null, cancelled: false };
  const grow = (fields) => {
    call = { ...call, ...fields };
    onChange(call);
  };
  const notifications = {
    "ui/notifications/tool-input": (params) => grow({ input: params.arguments }),
    "ui/notifications/tool-result": (result) => grow({ result }),
    "ui/notifications/tool-cancelled": () => grow({ cancelled: true }),
    "ui/notifications/host-context-changed": useContext,
  };
  const requests = ["ping", "ui/resource-teardown"];
  window.addEventListener("message", ({ source, data }) => {
    if (source !== host || data?.jsonrpc !== "2.0") return;
    const { id, method, params, result } = data;
    if (!method) {
      if (id !== 1 || !result) return; // the answer to ui/initialize
      useContext(result.hostContext);
      send({ method: "ui/notifications/initialized", params: {} });
      reportHeight();
    } else if (id === undefined) {
      if (Object.hasOwn(notifications, method)) notifications[method](params ?? {});
    } else {
      send(requests.includes(method) ? { id, result: {} } : { id, error: { code: -32601, message: "unknown method" } });
    }
  });
  send({
    id: 1,
    method: "ui/initialize",
    params: {
      protocolVersion: "2026-01-26",
      appInfo: { name: "techo", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline"] },
    },
  });
}

// useContext takes the colours of the host.
function useContext(context) {
  const theme = context?.theme;
  if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
}

// reportHeight tells the host the height of the view, also when it changes.
function reportHeight() {
  let last = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (height !== last) send({ method: "ui/notifications/size-changed", params: { height } });
    last = height;
  }).observe(document.documentElement);
}
