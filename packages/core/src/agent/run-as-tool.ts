import type { AgentInput } from '../messages/agent-input.ts'
import { requireDepth } from '../results/agent-depth.ts'
import { openerOf } from '../results/agent-opener.ts'
import type { OpenRun } from '../results/handoff-target.ts'
import type { RunResult } from '../results/result.ts'
import { Suspend } from '../signals.ts'
import { type ProgressReporter, reporterOf } from '../tools/agent-progress.ts'
import { type AgentSuspensionPayload, isAgentSuspension } from '../tools/suspension-payload.ts'
import type { ToolExecutionOptions } from '../tools/tool.ts'
import type { RunOptions } from './agent-options.ts'
import type { AgentRunner } from './agent-runner.ts'
import { ProgressTracker } from './progress-tracker.ts'

/**
 * Runs an agent for another, or resumes the run it had suspended for it.
 *
 * @param execution What the outer run gives its tools; other frameworks give less
 * @throws MillraceError `RUN_DEPTH_EXCEEDED`
 * @throws {Suspend} if the agent waits for something: the outer run waits for the same
 * @throws Error for the model to see, if there is no answer
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
  // Counted once, with the whole of it: a suspended run brings along what it had used.
  execution.addUsage?.(result.usage)
  return answerOf(agent, result, run)
}

/**
 * The agent's run for a turn that is handed off to it, or the one it had suspended.
 *
 * @throws MillraceError `RUN_DEPTH_EXCEEDED`
 */
export function openTurn(
  agent: AgentRunner,
  execution: ToolExecutionOptions,
  { input, run, maxDepth }: ToolRunOptions,
): OpenRun {
  requireDepth({ agentName: agent.name, maxDepth }, execution.requestContext.agentPath)
  const opened = openRun(agent, execution, { input, run })
  // Not the run itself: a resumed one is awaited for its result.
  return {
    fullStream: opened.fullStream,
    get result() {
      return opened.result
    },
  }
}

interface ToolRunOptions {
  input: () => AgentInput
  run: RunOptions
  maxDepth: number
}

/** Begins the agent's run, or resumes it: when its chunks are read, or its result is asked for. */
function openRun(
  agent: AgentRunner,
  execution: Partial<ToolExecutionOptions>,
  { input, run }: { input: () => AgentInput; run: RunOptions },
): OpenRun {
  const { abortSignal, requestContext, resumeData, suspendPayload, toolCallId } = execution
  const threadId = run.threadId ?? ownThread(agent, requestContext?.threadId)
  const options: RunOptions = {
    ...run,
    ...(abortSignal && { abortSignal }),
    ...(requestContext && { requestContext }),
    ...(threadId !== undefined && { threadId }),
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

/** The result of the run. What it does until then is reported, if there is a reporter. */
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
