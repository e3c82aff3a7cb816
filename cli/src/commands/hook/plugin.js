// Written by `mayi hook install opencode`; `mayi hook uninstall opencode` takes it away.
// opencode's plugins can only throw: whatever is not an allow of mayi's is thrown, also when mayi can't be asked.
import { spawn } from "node:child_process"

const COMMAND = "MAYI"
const LIMIT = 60_000

function ask(event) {
  return new Promise((resolve) => {
    let child
    const end = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const timer = setTimeout(() => {
      child?.kill("SIGKILL")
      end({ decision: "deny", reason: "mayi did not answer in time" })
    }, LIMIT)
    try {
      child = spawn("/bin/sh", ["-c", COMMAND], { stdio: ["pipe", "pipe", "pipe"] })
    } catch (error) {
      return end({ decision: "deny", reason: `mayi can't be started: ${error}` })
    }
    let out = ""
    let err = ""
    child.stdout.on("data", (data) => (out += data))
    child.stderr.on("data", (data) => (err += data))
    child.stdin.on("error", () => {})
    child.on("error", (error) => end({ decision: "deny", reason: `mayi can't be started: ${error}` }))
    child.on("close", (code) => {
      if (code !== 0) return end({ decision: "deny", reason: err.trim() || `mayi ended with ${code}` })
      try {
        end(JSON.parse(out))
      } catch {
        end({ decision: "deny", reason: "mayi's answer can't be read" })
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const Mayi = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const answer = await ask({
      hook_event_name: "tool.execute.before",
      session_id: input.sessionID,
      tool_use_id: input.callID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: output.args ?? {},
    })
    if (answer?.decision !== "allow") throw new Error(answer?.reason ?? "mayi: denied")
  },
  "tool.execute.after": async (input) => {
    await ask({
      hook_event_name: "tool.execute.after",
      session_id: input.sessionID,
      tool_use_id: input.callID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: input.args ?? {},
    })
  },
})
