import { PerRun } from '../../per-run.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { asReviewed, viewFailure, viewOf } from '../../tools/model-output.ts'
import { ownTool, type Tool, type ToolSet } from '../../tools/tool.ts'
import type { ToolModelOutput } from '../../tools/tool-model-output.ts'
import { processExecution } from '../tools/process-execution.ts'

type View = NonNullable<Tool['toModelOutput']>

type Answered = Parameters<View>[0]

/** Cached by run and view, so that a message that was converted with a view need not be converted again. */
const reviewed = new PerRun<Map<View, View>>()

/** The tools, with `toModelOutput` wrapped so that its result passes the processors. */
export function reviewedViews(run: Run, step: Step, tools: ToolSet): ToolSet {
  const known = reviewed.get(run) ?? reviewed.set(run, new Map())
  return Object.fromEntries(
    Object.keys(tools).map((toolName) => {
      const tool = ownTool(tools, toolName) as Tool
      const show = tool.toModelOutput
      if (!show) return [toolName, tool]
      const toModelOutput: View =
        known.get(show) ??
        asReviewed(async (answered) => {
          const { toolCallId, input } = answered
          const value = await shown(tool, toolName, answered)
          const toolCall = { toolCallId, toolName, input }
          const left = await processExecution(run, step, { toolCall, tool, direction: 'view', value })
          return left as typeof value
        })
      known.set(show, toModelOutput)
      return [toolName, { ...tool, toModelOutput }]
    }),
  )
}

async function shown(tool: Tool, toolName: string, answered: Answered): Promise<ToolModelOutput> {
  try {
    return await viewOf(tool, answered)
  } catch (error) {
    return viewFailure(toolName, error)
  }
}
