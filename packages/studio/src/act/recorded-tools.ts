import type { Processor } from '@millrace/core'
import type { RecordedEvent } from '../record/recorded-event.ts'

/** A call of the run that is replayed, and how it was answered. */
interface RecordedCall {
  toolName: string
  input: string
  answer: { output: unknown } | { deny: string }
}

/**
 * Answers calls of tools as they were answered in a run, so that a replay does nothing outside. A call that the run did not make
 * is denied.
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
          deny: 'This replay answers calls as they were recorded, and has no record of this one.',
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
