import type { Processor } from '@millrace/core'
import type { RecordedEvent } from '../record/recorded-event.ts'

/** A tool call of the replayed run, with its outcome. */
interface RecordedCall {
  toolName: string
  input: string
  answer: { output: unknown } | { deny: string }
}

/**
 * Answers tool calls with the recorded outcomes, so that a replay has no side effects. A call without a record is denied.
 */
export function recordedTools(events: readonly RecordedEvent[]): Processor<'studio-recorded-tools'> {
  const calls = callsIn(events)
  return {
    id: 'studio-recorded-tools',
    processToolCall({ toolCall: { toolName, input } }) {
      const json = JSON.stringify(input) ?? ''
      const same = calls.filter((call) => call.toolName === toolName)
      const call = same.find((one) => one.input === json)
      return (
        call?.answer ?? {
          deny: 'This replay answers tool calls with recorded outputs, and this call was not recorded.',
        }
      )
    },
  }
}

function callsIn(events: readonly RecordedEvent[]): RecordedCall[] {
  const calls = new Map<string, RecordedCall>()
  for (const event of events) {
    if (event.name !== 'output') continue
    for (const { chunk } of event.entries) {
      if (chunk.type === 'tool-result' && chunk.preliminary !== true) {
        const { toolCallId, toolName, input, output } = chunk
        calls.set(toolCallId, { toolName, input: JSON.stringify(input) ?? '', answer: { output } })
      } else if (chunk.type === 'tool-error') {
        const { toolCallId, toolName, input, error } = chunk
        calls.set(toolCallId, { toolName, input: JSON.stringify(input) ?? '', answer: { deny: error } })
      } else if (chunk.type === 'tool-denied') {
        const { toolCallId, toolName, input, reason = 'It was denied.' } = chunk
        calls.set(toolCallId, { toolName, input: JSON.stringify(input) ?? '', answer: { deny: reason } })
      }
    }
  }
  return [...calls.values()]
}
