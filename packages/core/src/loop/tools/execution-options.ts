import { withComputed } from '../../computed-property.ts'
import type { PromptMessages } from '../../messages/model-message.ts'
import { withOpener } from '../../results/agent-opener.ts'
import type { Run } from '../../run/run.ts'
import type { ToolCall, ToolExecutionOptions } from '../../tools/tool.ts'
import type { Usage } from '../../usage.ts'

interface Execution {
  /** The prompt of the step. Built only if the tool reads it. */
  messages: () => PromptMessages
  abortSignal: AbortSignal
  resumeData: unknown
  suspendPayload: unknown
}

/** The second argument of a tool's `execute`, also for an agent that takes the turn. */
export function executionOptions(
  run: Run,
  { toolCallId }: ToolCall,
  { messages, ...rest }: Execution,
): ToolExecutionOptions {
  const options = {
    toolCallId,
    idempotencyKey: `${run.state.originId}:${toolCallId}`,
    requestContext: run.requestContext,
    resumedBy: rest.suspendPayload === undefined ? undefined : run.by,
    addUsage: (usage: Usage) => run.addUsage(usage),
    context: {},
    ...rest,
  }
  return withOpener(withComputed(options, 'messages', messages), run.journal?.openAgent)
}
