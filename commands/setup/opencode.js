// Written by techo setup; `techo setup opencode --remove` takes it out.
// Adds notes of techo to a session and to messages, as techo hook does for other clients.
import { spawn } from "node:child_process"

const program = PROGRAM
const settings = SETTINGS

// hook returns the text that a hook adds, "" without one and after an error.
const hook = (name, input) =>
  new Promise((resolve) => {
    const child = spawn(program, ["hook", name, "--client", "opencode", ...settings], {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 3000,
    })
    let out = ""
    child.stdout.on("data", (data) => (out += data))
    child.on("error", () => resolve(""))
    child.on("close", () => {
      try {
        resolve(JSON.parse(out).hookSpecificOutput?.additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(input))
  })

export const Techo = async () => {
  const started = new Set()
  return {
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const said = parts.filter((p) => p.type === "text" && !p.synthetic)
      if (said.length === 0) return
      const added = []
      if (!started.has(sessionID)) {
        started.add(sessionID)
        added.push(await hook("session-start", { session_id: sessionID, source: "resume" }))
      }
      const prompt = said.map((p) => p.text).join("\n")
      added.push(await hook("prompt", { session_id: sessionID, prompt }))
      // The ids sort before those of the message, so that the notes come first.
      const id = parts[0].id.slice(0, 16)
      const notes = added.map((text, i) => ({
        id: id + String(i).padStart(14, "0"),
        sessionID,
        messageID: message.id,
        type: "text",
        text,
        synthetic: true,
      }))
      parts.unshift(...notes.filter((n) => n.text !== ""))
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await hook("pre-compact", { session_id: sessionID })
      started.delete(sessionID)
    },
  }
}
