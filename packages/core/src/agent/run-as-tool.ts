import type { AgentInput } from '../messages/agent-input.ts'
import { requireDepth } from '../results/agent-depth.ts'
import { openerOf } from '../results/agent-opener.ts'
import type { OpenRun } from '../results/handoff-target.ts'
import type { RunResult } from '../results/result.ts'
import { Suspend } from '../signals.ts'
import { type ProgressReporter, reporterOf } from '../tools/agent-progress.ts'
import type { ToolExecutionOptions } from '../tools/tool.ts'
import { type AgentSuspensionPayload, isAgentSuspension } from '../tools/waiting-calls.ts'
import type { RunOptions } from './agent-options.ts'
import type { AgentRunner } from './agent-runner.ts'
import { ProgressTracker } from './progress-tracker.ts'

/**
 * Runs an agent for another one, or resumes the run that had suspended.
 *
 * @param execution The options that the outer run passes to its tools; other frameworks may pass fewer
 * @throws MillraceError `RUN_DEPTH_EXCEEDED`
 * @throws {Suspend} if the agent suspends, so that the outer run suspends too
 * @throws Error if there is no answer; the model sees it
 */
export async function runAsTool(
  agent: AgentRunner,
  execution: Partial<ToolExecutionOptions>,
  { input, run, maxDepth }: ToolRunOptions,
): Promise<unknown> {
  requireDepth({ agentName: agent.name, maxDepth }, execution.requestContext?.agentPath)
  const result = await resultOf(agent, openRun(agent, execution, { input, run }), reporterOf(execution))
  if (result.status === 'suspended') {
    const { runId, payload } = result.suspension
    throw new Suspend({
      type: 'agent',
      agentName: agent.name,
      runId,
      payload,
    } satisfies AgentSuspensionPayload)
  }
  // Added once, at the end: a resumed agent's usage includes what it used before.
  execution.addUsage?.(result.usage)
  return answerOf(agent, result, run)
}

/**
 * Opens the agent's run for a turn that is handed off, or the run that had suspended.
 *
 * @throws MillraceError `RUN_DEPTH_EXCEEDED`
 */
export function openTurn(
  agent: AgentRunner,
  execution: ToolExecutionOptions,
  { input, run, maxDepth }: ToolRunOptions,
): OpenRun {
  requireDepth({ agentName: agent.name, maxDepth }, execution.requestContext.agentPath)
  return new Turn(openRun(agent, execution, { input, run }))
}

/** Not the run itself: a resumed run is thenable, so it would be awaited for its result. */
class Turn implements OpenRun {
  readonly fullStream: OpenRun['fullStream']
  readonly #run: OpenRun

  constructor(run: OpenRun) {
    this.fullStream = run.fullStream
    this.#run = run
  }

  get result(): OpenRun['result'] {
    return this.#run.result
  }

  get waitsForReview(): boolean {
    return this.#run.waitsForReview !== false
  }
}

interface ToolRunOptions {
  input: () => AgentInput
  run: RunOptions
  maxDepth: number
}

/** Opens or resumes the agent's run. It starts when its chunks are read or its result is accessed. */
function openRun(
  agent: AgentRunner,
  execution: Partial<ToolExecutionOptions>,
  { input, run }: { input: () => AgentInput; run: RunOptions },
): OpenRun {
  const { abortSignal, requestContext, resumeData, suspendPayload, resumedBy, toolCallId } = execution
  const threadId = run.threadId ?? ownThread(agent, requestContext?.threadId)
  const options: RunOptions = {
    ...run,
    ...(abortSignal && { abortSignal }),
    ...(requestContext && { requestContext }),
    ...(threadId !== undefined && { threadId }),
    ...(resumedBy !== undefined && { by: resumedBy }),
  }
  const resume = isAgentSuspension(suspendPayload)
    ? { runId: suspendPayload.runId, data: resumeData }
    : undefined
  const opened =
    toolCallId !== undefined && openerOf(execution)?.({ agent, toolCallId, input, resume, options })
  if (opened) return opened
  return isAgentSuspension(suspendPayload)
    ? agent.resume(suspendPayload.runId, resumeData, options)
    : agent.stream(input(), options)
}

/** The result of the run. Progress is reported if there is a reporter. */
async function resultOf(
  { name }: AgentRunner,
  run: OpenRun,
  reporter: ProgressReporter | undefined,
): Promise<RunResult> {
  if (!reporter) return run.result
  const tracker = new ProgressTracker(name, reporter)
  for await (const chunk of run.fullStream) {
    const reported = tracker.read(chunk)
    if (reported) await reported
  }
  try {
    const result = await run.result
    await tracker.end(result)
    return result
  } catch (error) {
    await tracker.fail()
    throw error
  }
}

function answerOf({ name }: AgentRunner, result: RunResult, { output }: RunOptions): unknown {
  switch (result.status) {
    case 'completed':
      return output ? result.object : result.text
    case 'halted':
      return result.text
    case 'limit':
      if (result.text !== '') return result.text
      throw new Error(`The agent '${name}' reached its maximum number of steps without an answer.`)
    case 'tripwire':
      throw new Error(`The agent '${name}' was stopped: ${result.rejection.reason}`)
    case 'aborted':
      throw result.abortReason
    default:
      return undefined
  }
}

/** An agent with a memory has its own conversation, separate from that of the calling agent. */
function ownThread({ name }: AgentRunner, threadId: string | undefined): string | undefined {
  return threadId === undefined ? undefined : `${threadId}:${name}`
}
