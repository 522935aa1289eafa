import type { Chunk } from '../../results/chunk.ts'
import type { Answer } from '../../tools/decision.ts'
import type { ToolCall } from '../../tools/tool.ts'

/** The chunk of an answer, with the input as the model sent it. */
export function answerChunk(call: ToolCall, answer: Answer): ToolAnswerChunk {
  const { toolCallId, toolName, input, dynamic } = call
  const identity = { toolCallId, toolName, input, ...(dynamic && { dynamic }) }
  switch (answer.status) {
    case 'success':
      return { type: 'tool-result', ...identity, output: answer.output }
    case 'error':
      return { type: 'tool-error', ...identity, error: answer.error }
    case 'denied':
      return {
        type: 'tool-denied',
        ...identity,
        ...(answer.reason !== undefined && { reason: answer.reason }),
      }
    default:
      return answer satisfies never
  }
}

export type ToolAnswerChunk = Extract<Chunk, { type: 'tool-result' | 'tool-error' | 'tool-denied' }>
