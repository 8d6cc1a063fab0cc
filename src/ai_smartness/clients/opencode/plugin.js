// The memory of ai_smartness for opencode. Written by `ais init`, removed by `ais uninstall`.
// Each event is handed to our hook as JSON; whatever fails there, the agent goes on without it.
import { spawn } from "node:child_process"

const COMMAND = [/* the hook's command */]
const HOOK_TIMEOUT_MS = 10000

function runHook(event) {
  return new Promise((resolve) => {
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => child.kill(), HOOK_TIMEOUT_MS)
      let output = ""
      child.stdout.on("data", (piece) => { output += piece })
      child.stdin.on("error", () => {})
      child.on("error", () => { clearTimeout(timer); resolve({}) })
      child.on("close", () => {
        clearTimeout(timer)
        try { resolve(JSON.parse(output).hookSpecificOutput ?? {}) } catch { resolve({}) }
      })
      child.stdin.end(JSON.stringify(event))
    } catch { resolve({}) }
  })
}

function createMemory(directory) {
  const started = new Set()   // sessions that have their brief
  const children = new Set()  // sessions of subagents: they may ask, but get nothing unasked
  const pending = new Map()   // session -> a brief after a compaction, for the next request
  const roles = new Map()     // message -> its role
  const answers = new Map()   // session -> { message, parts } of the latest answer
  const event = (name, session, fields) =>
    runHook({ hook_event_name: name, session_id: session, cwd: directory, ...fields })

  async function contextFor(session, prompt, message) {
    const texts = []
    if (!started.has(session)) {
      started.add(session)
      texts.push((await event("SessionStart", session, { source: "startup" })).additionalContext)
    }
    if (pending.has(session)) { texts.push(pending.get(session)); pending.delete(session) }
    const fields = { prompt, prompt_id: message }
    texts.push((await event("UserPromptSubmit", session, fields)).additionalContext)
    return texts.filter(Boolean)
  }

  function noteAnswer(session, message, part) {
    if (answers.get(session)?.message !== message) answers.set(session, { message, parts: new Map() })
    answers.get(session).parts.set(part.id, part.text)
  }

  return {
    contextFor,
    isChild: (session) => children.has(session),
    takePending: (session) => {
      const text = pending.get(session)
      pending.delete(session)
      return text
    },
    noteChild: (session) => children.add(session),
    noteRole: (message, role) => roles.set(message, role),
    notePart: (part) => {
      if (part.type === "text" && roles.get(part.messageID) === "assistant") {
        noteAnswer(part.sessionID, part.messageID, part)
      }
    },
    redirect: (session, call, tool, args) =>
      event("PreToolUse", session, { tool_name: tool, tool_input: args, tool_use_id: call }),
    toolUsed: (session, call, tool, args, output) =>
      event("PostToolUse", session,
        { tool_name: tool, tool_input: args, tool_use_id: call, tool_response: { stdout: output } }),
    answered: async (session) => {
      const answer = answers.get(session)
      answers.delete(session)
      if (!answer || children.has(session)) return
      const text = [...answer.parts.values()].join("\n").trim()
      if (text) await event("Stop", session, { last_assistant_message: text, prompt_id: answer.message })
    },
    compacting: (session) => event("PreCompact", session, { trigger: "auto" }),
    compacted: async (session) => {
      const brief = await event("SessionStart", session, { source: "compact" })
      if (brief.additionalContext) pending.set(session, brief.additionalContext)
    },
  }
}

const mentionsVirtualPath = (args) => JSON.stringify(args ?? {}).includes(".ai/")

// opencode 1.x
async function server({ directory }) {
  const memory = createMemory(directory)
  return {
    "chat.message": async (input, output) => {
      if (memory.isChild(input.sessionID)) return
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\n")
      if (!prompt.trim()) return
      const message = output.message.id
      const texts = await memory.contextFor(input.sessionID, prompt, message)
      // Parts are sorted by their ids: ours stand behind what was typed.
      const last = output.parts.at(-1).id
      texts.forEach((text, number) => output.parts.push({
        id: `${last}ais${number}`,
        sessionID: input.sessionID, messageID: message, type: "text", text, synthetic: true,
      }))
    },
    "experimental.chat.system.transform": async (input, output) => {
      const brief = input?.sessionID ? memory.takePending(input.sessionID) : undefined
      if (brief) output.system.push(brief)
    },
    "experimental.session.compacting": async (input) => { await memory.compacting(input.sessionID) },
    "tool.execute.before": async (input, output) => {
      if (!mentionsVirtualPath(output.args)) return
      const answer = await memory.redirect(input.sessionID, input.callID, input.tool, output.args)
      const changed = answer.updatedInput
      if (changed?.file_path) output.args.filePath = changed.file_path
      if (changed?.command) output.args.command = changed.command
    },
    "tool.execute.after": async (input, output) => {
      const text = typeof output.output === "string" ? output.output : ""
      await memory.toolUsed(input.sessionID, input.callID, input.tool, input.args ?? {}, text)
    },
    event: async ({ event }) => {
      const data = event.properties ?? {}
      switch (event.type) {
        case "session.created":
        case "session.updated":
          if (data.info?.parentID) memory.noteChild(data.info.id)
          break
        case "message.updated": memory.noteRole(data.info.id, data.info.role); break
        case "message.part.updated": memory.notePart(data.part); break
        case "session.idle": await memory.answered(data.sessionID); break
        case "session.compacted": await memory.compacted(data.sessionID); break
      }
    },
  }
}

// opencode 2.x, from its documented interface: `session.hook("context")` adds to a request.
async function setup({ directory, session }) {
  const memory = createMemory(directory)
  session?.hook?.("context", async (input, output) => {
    const prompt = input?.prompt ?? input?.text ?? ""
    if (!prompt.trim() || memory.isChild(input.sessionID)) return
    const texts = await memory.contextFor(input.sessionID, prompt, input.messageID ?? "")
    if (texts.length) (output?.context ?? output?.system)?.push(...texts)
  })
}

export default { id: "ai_smartness", server, setup }
