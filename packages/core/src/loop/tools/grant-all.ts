import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { isRequested } from '../../tools/decision.ts'
import { ownTool, type ToolCall } from '../../tools/tool.ts'

/**
 * Lets every call that is to be executed execute, where neither the agent nor the tools called have a say in that.
 * Returns `false`, and changes nothing, where somebody has to be asked or is being asked.
 */
export function grantAll(run: Run, { tools, state }: Step, calls: readonly ToolCall[]): boolean {
  const { decisions } = state
  if (run.settings.toolApproval !== undefined || decisions.some(isRequested)) return false
  if (calls.some(({ toolName }) => ownTool(tools, toolName)?.needsApproval)) return false
  for (const decision of decisions) {
    if (decision.kind !== 'answer' && decision.approval === 'open') decision.approval = 'granted'
  }
  return true
}
