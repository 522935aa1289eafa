import { copyData } from '../../copy-data.ts'
import { checkedOutput } from '../../processors/output-check.ts'
import { isSame } from '../../processors/snapshot-of.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Tool, ToolCall } from '../../tools/tool.ts'
import { copyTool } from '../../tools/tool-copies.ts'
import { isAgentSuspension } from '../../tools/waiting-calls.ts'
import { hookKit } from '../hooks-on-demand.ts'

/** A value that enters or leaves a tool. */
export interface Crossing {
  toolCall: ToolCall
  tool: Tool
  direction: 'in' | 'out' | 'view'
  value: unknown
  /** Whether the value is the payload of a suspension. An output that looks like one is not. */
  isPayload?: boolean
}

/**
 * Passes a tool's input through the processors in order, or its output in reverse order. Runs concurrently for the
 * calls of a step.
 */
export async function processExecution(run: Run, step: Step, crossing: Crossing): Promise<unknown> {
  const { toolCall, tool, direction, value } = crossing
  if (crossing.isPayload && isAgentSuspension(value)) {
    // Only the inner payload is passed: the agent needs the other fields to find the suspended run.
    const payload = await processExecution(run, step, { ...crossing, value: value.payload })
    return payload === value.payload ? value : { ...value, payload }
  }
  const processors = [...(run.pipeline.processExecution ?? [])]
  if (direction !== 'in') processors.reverse()
  const own = direction === 'out' ? value : copyData(value)
  let current = own
  await hookKit().askAll(run, 'processExecution', processors, {
    step,
    toolCallId: toolCall.toolCallId,
    overlaps: true,
    isApart: true,
    args: () => ({ toolCall, tool: copyTool(tool), direction, value: current }),
    given: () => ({ values: [current] }),
    compared: () => ({ data: current }),
    subject: { key: direction, toolCallId: toolCall.toolCallId },
    apply(result) {
      current = result.value
      return undefined
    },
  })
  // Input is not stored, so a hook that changes it in place changes a copy.
  if (direction === 'in' && current === own && isSame(own, value)) return value
  // Output is stored. It is validated even if no hook returned anything, because a hook may have changed it in place.
  const last = processors.at(-1)
  return direction === 'out' && last && current !== undefined
    ? checkedOutput(current, 'processExecution', last.id)
    : current
}
