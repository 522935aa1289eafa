import type { Run } from '../../run/run.ts'
import type { ToolCall } from '../../tools/tool.ts'

/** Names a call for services that carry it out once: the same however often the run is resumed. */
export function idempotencyKey({ state }: Run, { toolCallId }: ToolCall): string {
  return `${state.originId}:${toolCallId}`
}
