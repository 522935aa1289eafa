import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { dialogueOf } from './dialogue.ts'
import { fileReport } from './file-report.ts'
import { secretReply } from './secret-reply.ts'
import { smallTalk } from './small-talk.ts'
import { reportResults } from './tool-report.ts'
import { type ToolRequest, toolRequests } from './tool-requests.ts'

/** A response of the model: an answer, or tool calls. */
export type Reply = { text: string } | { calls: ToolRequest[] }

/** The response to a prompt: the results of tools, else the tool calls it needs, else small talk. */
export function replyTo(prompt: LanguageModelV4Prompt, toolNames: ReadonlySet<string>): Reply {
  const last = prompt.at(-1)
  if (last?.role === 'tool') return { text: reportResults(last) }

  const dialogue = dialogueOf(prompt)
  const report = fileReport(dialogue)
  if (report !== undefined) return { text: report }
  const calls = toolRequests(dialogue).filter(({ toolName }) => toolNames.has(toolName))
  if (calls.length > 0) return { calls }
  return { text: secretReply(dialogue) ?? smallTalk(dialogue) }
}
