import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { MillraceError } from '@millrace/core'
import { hold } from '../target.ts'

/**
 * Every call in a prompt is followed by exactly one result, and every result has a call: providers refuse other prompts.
 * Provider-executed calls may be answered later.
 */
export function holdPaired(prompt: LanguageModelV4Prompt): void {
  const open = new Map<string, number>()
  for (const { role, content } of prompt) {
    if (role !== 'tool')
      hold(unanswered(open).length === 0, () => `calls without results: ${unanswered(open)}`)
    if (role !== 'assistant' && role !== 'tool') continue
    for (const part of content) {
      if (part.type === 'tool-call') {
        if (part.providerExecuted) continue
        hold(!open.has(part.toolCallId), () => `two calls with the id ${part.toolCallId}`)
        open.set(part.toolCallId, 0)
      } else if (part.type === 'tool-result' && role === 'tool') {
        hold(open.get(part.toolCallId) === 0, () => `a result too many for ${part.toolCallId}`)
        open.set(part.toolCallId, 1)
      }
    }
  }
  hold(unanswered(open).length === 0, () => `calls without results: ${unanswered(open)}`)
}

function unanswered(results: ReadonlyMap<string, number>): string[] {
  return [...results].filter(([, count]) => count === 0).map(([id]) => id)
}

/** An error must have a Millrace code. */
export function holdStated(error: unknown): void {
  if (!MillraceError.isInstance(error)) throw error
  if (error.code !== 'PROCESSOR_FAILED') return
  throw error
}
