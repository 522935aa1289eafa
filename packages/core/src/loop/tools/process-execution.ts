import { copyData } from '../../copy-data.ts'
import { checkedOutput } from '../../processors/output-check.ts'
import { isSame } from '../../processors/snapshot-of.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { isAgentSuspension } from '../../tools/suspension-payload.ts'
import type { Tool, ToolCall } from '../../tools/tool.ts'
import { copyTool } from '../../tools/tool-copies.ts'
import { hookKit } from '../hooks-on-demand.ts'

/** Something that goes into a tool, or comes out of it. */
export interface Crossing {
  toolCall: ToolCall
  tool: Tool
  direction: 'in' | 'out' | 'view'
  value: unknown
  /** It is what the tool suspends with, and not an output that looks like that. */
  isPayload?: boolean
}

/**
 * Takes a value into a tool by way of the processors, or back: there in order, back in the opposite one. Calls of a step
 * execute side by side, so this runs for several at the same time.
 */
export async function processExecution(run: Run, step: Step, crossing: Crossing): Promise<unknown> {
  const { toolCall, tool, direction, value } = crossing
  if (crossing.isPayload && isAgentSuspension(value)) {
    // By its other fields the agent finds the run that waits.
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
    look: () => ({ data: current }),
    subject: { key: direction, toolCallId: toolCall.toolCallId },
    apply(result) {
      current = result.value
      return undefined
    },
  })
  // What goes in is not kept: a hook that changes it in place changes a copy.
  if (direction === 'in' && current === own && isSame(own, value)) return value
  // What comes out is kept. Checked also where hooks returned nothing: they may have changed it in place.
  const last = processors.at(-1)
  return direction === 'out' && last && current !== undefined
    ? checkedOutput(current, 'processExecution', last.id)
    : current
}
