import { isToolPart, type Message, reviveMessage, type ToolPart } from '../../messages/message.ts'
import { HookRecord } from '../../processors/hook-record.ts'
import type { ProcessorRecord } from '../../results/result.ts'
import type { Run } from '../../run/run.ts'
import type { RunState } from '../../run/run-state.ts'
import { Step } from '../../run/step.ts'
import { newStepState, type StepState } from '../../run/step-state.ts'
import type { RunCall, StoredRun } from '../../storage/run-store.ts'
import { ownTool, type ToolSet } from '../../tools/tool.ts'
import { reviveUsage } from '../../usage.ts'
import { readSnapshot } from './compatibility.ts'
import { replayCalls } from './replay-calls.ts'
import type { RunSnapshot } from './run-snapshot.ts'
import { decodeResumeData } from './stored-data.ts'

export interface RestoreOptions {
  /** The data for the processor that the run resumes in. See `take-answers.ts` for answers to calls. */
  data: unknown
  /** The journal of an interrupted run. */
  calls: readonly RunCall[]
  /** Whether the run is being released: nothing is executed again. Default: false. */
  isReleased?: boolean
}

export interface RestoredRun {
  /** The step in which the run resumes. */
  step: Step | undefined
  /** Whether the run waits. One that was stored while it was running has its resume data already. */
  isWaiting: boolean
}

/**
 * Restores a stored run into a run that has not started. Returns the step in which it resumes.
 *
 * @throws MillraceError `RUN_INCOMPATIBLE` if the agent lacks what the run needs
 */
export function restore(
  run: Run,
  stored: StoredRun,
  { data, calls, isReleased = false }: RestoreOptions,
): RestoredRun {
  const snapshot = readSnapshot(run, stored)
  const { place: point, messages: entries, steps, current, records, processors, resumed } = snapshot
  for (const [processor, name] of run.pipeline.names) {
    Object.assign(run.gate(processor).state, processors[name])
  }
  for (const record of records) restoreRecord(run, record)
  restoreState(run, snapshot, stored)
  const messages = entries.map(({ message, origin }) => {
    const revived = reviveMessage(message)
    run.messageList.add(revived, origin)
    return revived
  })
  run.messageList.set(messages)
  const { tools, structuredOutput } = run.settings
  for (const accepted of steps) {
    const step = restoreStep(accepted, tools)
    step.finish()
    run.steps.push(step)
  }
  run.structuredOutput = structuredOutput
  run.resumption = resumed
    ? { point, data: decodeResumeData(resumed.data), payload: resumed.payload }
    : { point, data, payload: stored.payload }
  const step = current && restoreStep(current, tools)
  const isWaiting = resumed === undefined
  if (!step) return { step, isWaiting }
  const { settings } = step.state
  if (settings?.messages) settings.messages = settings.messages.map((message) => liveMessage(run, message))
  shareInputs(run, step)
  replayCalls(run, step, { calls, isReleased })
  return { step, isWaiting }
}

function restoreState({ state }: Run, snapshot: RunSnapshot, { runId }: StoredRun): void {
  const keys = Object.keys(state) as (keyof RunState)[]
  const stored = Object.fromEntries(keys.map((key) => [key, snapshot[key]]))
  Object.assign(state, stored, {
    originId: snapshot.originId ?? runId,
    usage: reviveUsage(snapshot.usage),
    warnings: [...state.warnings, ...snapshot.warnings],
  })
}

/** Restores a stored step. Its tools are looked up by name in `tools`. */
function restoreStep(stored: StepState, tools: ToolSet): Step {
  const step = new Step(reviveStep(stored))
  for (const name of stored.toolNames) {
    const tool = ownTool(tools, name)
    if (tool) step.tools[name] = tool
  }
  return step
}

/** Restores what JSON cannot represent: `undefined`, dates, and objects without a prototype. */
function reviveStep(stored: StepState): StepState {
  const { timestamp } = stored.response
  const fresh = newStepState(stored.number)
  return {
    ...fresh,
    ...stored,
    discarded: stored.discarded.map((attempt) => ({ ...attempt, usage: reviveUsage(attempt.usage) })),
    calls: Object.assign(fresh.calls, stored.calls),
    usage: reviveUsage(stored.usage),
    response:
      timestamp === undefined ? stored.response : { ...stored.response, timestamp: new Date(timestamp) },
    follow: stored.follow.map(reviveMessage),
  }
}

/** Restores a record. Later actions of the processor in the same step are added to it. */
function restoreRecord(run: Run, earlier: ProcessorRecord): void {
  const { processorId, hook, stepNumber, modelUsage } = earlier
  for (const used of modelUsage ?? []) used.usage = reviveUsage(used.usage)
  const record = new HookRecord(processorId, hook, stepNumber, earlier)
  run.records.push(record)
  const processor = [...run.pipeline.names.keys()].find((one) => one.id === processorId && one[hook])
  if (processor) run.gate(processor).adopt(record)
}

/**
 * Makes the transcript, the step's calls and held chunks share the same input objects again, because changes are
 * detected by identity.
 */
function shareInputs({ messageList }: Run, step: Step): void {
  const parts = new Map<string, ToolPart>()
  for (const { content } of messageList.get('response')) {
    for (const part of content.parts) if (isToolPart(part)) parts.set(part.toolCallId, part)
  }
  for (const call of step.state.toolCalls) {
    const part = parts.get(call.toolCallId)
    if (part && isSame(part.input, call.input)) call.input = part.input
  }
  for (const chunk of step.state.held ?? []) {
    if (chunk.type !== 'tool-call') continue
    const call = step.state.toolCalls.find(({ toolCallId }) => toolCallId === chunk.toolCallId)
    if (call && isSame(call.input, chunk.input)) chunk.input = call.input
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** The message of a step's view: the object from the transcript, unless the view has another version. */
function liveMessage({ messageList }: Run, message: Message): Message {
  const live = messageList.find(message.id)
  return live && isSame(live.content, message.content) ? live : reviveMessage(message)
}
