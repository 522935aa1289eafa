import type { HookName, HookWith } from '../hook-name.ts'
import type { Message } from '../messages/message.ts'
import { HookEffects } from '../processors/hook-effects.ts'
import { CallRecord, type HookRecord } from '../processors/hook-record.ts'
import type { Given } from '../processors/hook-return.ts'
import type { Processor } from '../processors/processor.ts'
import { checkResult, returnsMessages } from '../processors/result-check.ts'
import { Look, type LookedAt } from '../processors/snapshot-of.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import { stepsFor } from '../run/step-views.ts'
import { isThenable } from '../schema.ts'
import { isSignal } from '../signals.ts'

/** What a hook may return besides nothing. */
export type Returned<HOOK extends HookName> = Exclude<
  Awaited<ReturnType<Required<Processor>[HOOK]>>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  void | null | undefined
>

/** What the processors of a hook are asked, one after the other. */
export interface Question<HOOK extends HookName, DECISION> {
  step?: Step | undefined
  /** The tool call in question: signals carry its id. */
  toolCallId?: string
  /** Calls of other tools change the transcript meanwhile: what it is in the end may not be the hook's doing. */
  overlaps?: boolean
  /** Calls of the hook overlap, so each has a gate of its own. */
  isApart?: boolean
  /** What the hook gets besides what every hook gets. */
  args: (processor: Processor) => object | Promise<object>
  /** The steps before, where the hook sees them. */
  steps?: readonly Step[]
  /** What the hook was given and may return as it is. */
  given?: () => Given
  /** Does what the processor asks for. What it returns is the decision: no other processor is asked then. */
  apply: (
    result: Returned<HOOK>,
    record: HookRecord,
    processor: Processor,
  ) => DECISION | undefined | Promise<DECISION | undefined>
  /** Brings the run in line with what the hook has changed. A hook that failed may be `skipped`. */
  settle?: (end: { skipped: boolean; processor: Processor }) => void
  /** The messages the hook is about. Default: the transcript. */
  messages?: () => readonly Message[]
  /** What else it may change. */
  look?: () => LookedAt
  /** What the look is at, for listeners to changes. */
  subject?: { key?: string; toolCallId?: string }
}

const SKIPPED = Symbol('skipped')

type AnyHook = (args: object) => unknown

/**
 * Asks the processors of a hook, in order: calls the hook, checks the whole of what it returns, applies that, and
 * records whether it, or what the hook did in place, has changed anything. Hooks that answer at once cost no promise.
 *
 * @param processors Default: all of the hook; in a resumed run, from the one that had suspended
 * @returns The first decision
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export async function askEach<HOOK extends HookWith<'suspends', true>, DECISION = never>(
  run: Run,
  hook: HOOK,
  question: Question<HOOK, DECISION>,
): Promise<DECISION | undefined> {
  return askAll(run, hook, run.stages(hook), question)
}

/** {@link askEach} of these processors. */
export async function askAll<HOOK extends HookName, DECISION = never>(
  run: Run,
  hook: HOOK,
  processors: readonly Processor[],
  question: Question<HOOK, DECISION>,
): Promise<DECISION | undefined> {
  const { step, toolCallId, overlaps = false, isApart = false, steps } = question
  const { messageList } = run
  const look = question.look && new Look(question.look)
  for (const processor of processors) {
    const own = run.gate(processor)
    const gate = isApart ? own.fork() : own
    const whole = own.record(hook, step?.number)
    const decided = run.decisions && new CallRecord(whole)
    const record = decided ?? whole
    const asked = question.args(processor)
    const args = isThenable(asked) ? await asked : asked
    const effects = new HookEffects(run, record, { ...question, look })
    const hookArgs = effects.watched({
      ...gate.argsFor(record),
      ...(step && { stepNumber: step.number }),
      messageList,
      ...args,
    })
    if (steps) {
      Object.defineProperty(hookArgs, 'steps', { get: () => stepsFor(own, steps), enumerable: true })
    }
    let skipped = false
    let decision: DECISION | undefined
    try {
      const call = () => (processor[hook] as AnyHook).call(processor, hookArgs)
      const answer = gate.call<unknown, typeof SKIPPED>(record, call, SKIPPED)
      if (overlaps) effects.endAtOnce(!isThenable(answer))
      const value = isThenable(answer) ? await answer : answer
      run.throwIfOver()
      skipped = value === SKIPPED
      const given = { messageList, ...question.given?.() }
      const result = skipped ? undefined : readResult(record, value, given)
      if (result !== undefined) {
        if (returnsMessages(hook)) effects.begin()
        const applied = question.apply(result as Returned<HOOK>, record, processor)
        decision = isThenable(applied) ? await applied : applied
      }
    } catch (error) {
      if (isSignal(error)) {
        effects.recordEnd(hookArgs, error)
        if (toolCallId !== undefined) error.toolCallId ??= toolCallId
      }
      if (decided) run.decisions?.recordDecision(decided, toolCallId)
      throw error
    }
    question.settle?.({ skipped, processor })
    effects.end()
    if (decided) run.decisions?.recordDecision(decided, toolCallId)
    if (decision !== undefined) return decision
  }
  return undefined
}

/**
 * What a hook returned, checked and read once.
 *
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export function readResult(record: HookRecord, value: unknown, given: Given): unknown {
  const { processorId, hook } = record
  try {
    return checkResult(processorId, hook, { value, given })
  } catch (error) {
    record.recordAction('failed')
    throw error
  }
}
