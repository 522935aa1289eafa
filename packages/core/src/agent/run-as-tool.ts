import type { AgentInput } from '../messages/agent-input.ts'
import type { RunResult } from '../results/result.ts'
import { Suspend } from '../signals.ts'
import { type AgentSuspensionPayload, isAgentSuspension } from '../tools/suspension-payload.ts'
import type { ToolExecutionOptions } from '../tools/tool.ts'
import type { RunOptions } from './agent-options.ts'
import type { AgentRunner } from './agent-runner.ts'

/**
 * Runs an agent for another, or resumes the run it had suspended for it.
 *
 * @param execution What the outer run gives its tools; other frameworks give less
 * @throws {Suspend} if the agent waits for something: the outer run waits for the same
 * @throws Error for the model to see, if there is no answer
 */
export async function runAsTool(
  agent: AgentRunner,
  execution: Partial<ToolExecutionOptions>,
  { input, run }: { input: () => AgentInput; run: RunOptions },
): Promise<unknown> {
  const { abortSignal, requestContext, resumeData, suspendPayload } = execution
  const threadId = run.threadId ?? ownThread(agent, requestContext?.threadId)
  const options: RunOptions = {
    ...run,
    ...(abortSignal && { abortSignal }),
    ...(requestContext && { requestContext }),
    ...(threadId !== undefined && { threadId }),
  }
  const result = isAgentSuspension(suspendPayload)
    ? await agent.resume(suspendPayload.runId, resumeData, options)
    : await agent.generate(input(), options)
  if (result.status === 'suspended') {
    const { runId, payload } = result.suspension
    throw new Suspend({
      type: 'agent',
      agentName: agent.name,
      runId,
      payload,
    } satisfies AgentSuspensionPayload)
  }
  // Counted once, with the whole of it: a suspended run brings along what it had used.
  execution.addUsage?.(result.usage)
  return answerOf(agent, result, run)
}

function answerOf({ name }: AgentRunner, result: RunResult, { output }: RunOptions): unknown {
  switch (result.status) {
    case 'completed':
      return output ? result.object : result.text
    case 'halted':
      return result.text
    case 'limit':
      if (result.text !== '') return result.text
      throw new Error(`The agent '${name}' came to no answer within its limit of steps.`)
    case 'tripwire':
      throw new Error(`The agent '${name}' was stopped: ${result.rejection.reason}`)
    case 'aborted':
      throw result.abortReason
    default:
      return undefined
  }
}

/** An agent with a memory continues its own conversation, and not that of the agent that calls it. */
function ownThread({ name }: AgentRunner, threadId: string | undefined): string | undefined {
  return threadId === undefined ? undefined : `${threadId}:${name}`
}
