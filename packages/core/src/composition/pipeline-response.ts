import { proseChunks } from '../loop/output/held-chunks.ts'
import { ResponseWriter } from '../loop/output/response-writer.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import type { ToolCall } from '../tools/tool.ts'

/** A complete response that was not streamed through the pipeline. */
export interface PipelineResponse {
  text?: string
  toolCalls?: readonly ToolCall[]
}

/** Writes a response that was not streamed into the transcript. Stream hooks are not called. */
export function writeResponse(run: Run, step: Step, { text = '', toolCalls = [] }: PipelineResponse): void {
  const writer = new ResponseWriter(run, step)
  if (text !== '') for (const chunk of proseChunks({ type: 'text', text }, 'response')) writer.write(chunk)
  for (const call of toolCalls) writer.write({ type: 'tool-call', ...call })
  step.state.text = text
  step.state.toolCalls = [...toolCalls]
  step.state.finishReason = toolCalls.length > 0 ? 'tool-calls' : 'stop'
}
