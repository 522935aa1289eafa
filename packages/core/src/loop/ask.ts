import type { HookName } from '../hook-name.ts'
import type { Message } from '../messages/message.ts'
import type { Gate } from '../processors/gate.ts'
import { HookEffects } from '../processors/hook-effects.ts'
import type { HookRecord } from '../processors/hook-record.ts'
import type { Given } from '../processors/hook-return.ts'
import type { Processor } from '../processors/processor.ts'
import { checkResult, returnsMessages } from '../processors/result-check.ts'
import type { Look } from '../processors/snapshot-of.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import { isThenable } from '../schema.ts'
import { isSignal } from '../signals.ts'

/** What a hook may return besides nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type Returned<RESULT> = Exclude<RESULT, void | null | undefined>

/** One call of one processor's hook. */
export interface Question<RESULT> {
  hook: HookName
  step?: Step | undefined
  /** Others work on the transcript meanwhile: what becomes of it by the end may not be the hook's doing. */
  overlaps?: boolean
  /** Calls of the hook overlap, so this one has a gate of its own. */
  isApart?: boolean
  /** What the hook gets besides what every hook gets. */
  args: object
  given?: Given
  /** Does what the processor asks for. Not called where it asks for nothing. */
  apply: (result: RESULT, record: HookRecord) => unknown
  /** The steps before, where the hook sees them: copies, made when it asks for them. */
  steps?: () => unknown
  /** Brings the run in line with what the hook has changed. A hook that failed may be `skipped`. */
  settle?: (end: { skipped: boolean }) => void
  /** The messages the hook is about. Default: the transcript. */
  messages?: () => readonly Message[]
  /** What else it may change. */
  look?: Look | undefined
  /** What the look is at, for those who are told of changes. */
  subject?: { key?: string; toolCallId?: string }
}

const SKIPPED = Symbol('skipped')

type AnyHook = (args: object) => unknown

/**
 * Calls a processor's hook, checks the whole of what it returns, applies it, and records whether that, or what the hook
 * did in place, has changed anything.
 *
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export async function ask<RESULT>(run: Run, processor: Processor, question: Question<RESULT>): Promise<void> {
  const { hook, step, overlaps = false, isApart = false, args, apply } = question
  const own = run.gate(processor)
  const gate: Gate = isApart ? own.beside() : own
  const record = own.record(hook, step?.number)
  const { messageList } = run
  const effects = new HookEffects(run, record, question)
  const hookArgs = effects.watched({
    ...gate.argsFor(record),
    ...(step && { stepNumber: step.number }),
    messageList,
    ...args,
  })
  if (question.steps) Object.defineProperty(hookArgs, 'steps', { get: question.steps, enumerable: true })
  let skipped = false
  try {
    const call = () => (processor[hook] as AnyHook).call(processor, hookArgs)
    const answer = gate.call<unknown, typeof SKIPPED>(record, call, SKIPPED)
    if (overlaps) effects.endAtOnce(!isThenable(answer))
    const value = isThenable(answer) ? await answer : answer
    run.throwIfOver()
    skipped = value === SKIPPED
    const result = skipped ? undefined : readResult(record, value, { messageList, ...question.given })
    if (result !== undefined) {
      if (returnsMessages(hook)) effects.begin()
      await apply(result as RESULT, record)
    }
  } catch (error) {
    if (isSignal(error)) effects.noteEnd(hookArgs, error)
    throw error
  }
  question.settle?.({ skipped })
  effects.end()
}

/**
 * What a hook returned, as it is to be used.
 *
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export function readResult(record: HookRecord, value: unknown, given: Given): unknown {
  const { processorId, hook } = record
  try {
    return checkResult(processorId, hook, { value, given })
  } catch (error) {
    record.note('failed')
    throw error
  }
}
