import { withComputed } from '../computed-property.ts'
import type { HookName, HookWith } from '../hook-name.ts'
import type { Message } from '../messages/message.ts'
import { ChangeDetector, type ComparedValue } from '../processors/change-detector.ts'
import { HookEffects } from '../processors/hook-effects.ts'
import { CallRecord, type HookRecord } from '../processors/hook-record.ts'
import type { Given } from '../processors/hook-return.ts'
import type { Processor } from '../processors/processor.ts'
import { checkResult, returnsMessages } from '../processors/result-check.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import { stepsFor } from '../run/step-views.ts'
import { isThenable } from '../schema.ts'
import { isSignal } from '../signals.ts'

/** What a hook may return, without "nothing" (`undefined`, `null`). */
export type Returned<HOOK extends HookName> = Exclude<
  Awaited<ReturnType<Required<Processor>[HOOK]>>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  void | null | undefined
>

/** One call of a hook on a list of processors: its arguments, and how its result is applied. */
export interface Question<HOOK extends HookName, DECISION> {
  step?: Step | undefined
  /** The tool call that the hook is called for. It is set on signals that have no `toolCallId`. */
  toolCallId?: string
  /**
   * Whether other tool calls change the transcript at the same time. If so, changes are attributed to the hook only
   * while it runs synchronously.
   */
  overlaps?: boolean
  /** Whether calls of this hook run concurrently. If so, each call gets its own fork of the gate. */
  isApart?: boolean
  /** The arguments of this hook, in addition to those of every hook. */
  args: (processor: Processor) => object | Promise<object>
  /** The earlier steps, for hooks that have `steps` as an argument. */
  steps?: readonly Step[]
  /** What the hook was given and may return unchanged. */
  given?: () => Given
  /**
   * Applies the result. A return value other than `undefined` is the decision: the remaining processors are not
   * called.
   */
  apply: (
    result: Returned<HOOK>,
    record: HookRecord,
    processor: Processor,
  ) => DECISION | undefined | Promise<DECISION | undefined>
  /**
   * Synchronizes the run with what the hook has changed. `skipped`: the hook failed and its processor has `onError:
   * 'skip'`.
   */
  settle?: (end: { skipped: boolean; processor: Processor }) => void
  /** The messages that the hook is about. Default: the transcript. */
  messages?: () => readonly Message[]
  /** Other data that the hook may change in place. */
  compared?: () => ComparedValue
  /** What the data of `compared` belongs to, for change listeners. */
  subject?: { key?: string; toolCallId?: string }
}

const SKIPPED = Symbol('skipped')

type AnyHook = (args: object) => unknown

/**
 * Calls a hook of each processor, in order: validates the result, applies it, and records whether the result or an
 * in-place edit has changed anything. A synchronous hook is called without a promise.
 *
 * @param processors Default: all that implement the hook; in a resumed run, from the one that suspended
 * @returns The first decision, or `undefined`
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export async function askEach<HOOK extends HookWith<'suspends', true>, DECISION = never>(
  run: Run,
  hook: HOOK,
  question: Question<HOOK, DECISION>,
): Promise<DECISION | undefined> {
  return askAll(run, hook, run.stages(hook), question)
}

/** As {@link askEach}, for the given processors. */
export async function askAll<HOOK extends HookName, DECISION = never>(
  run: Run,
  hook: HOOK,
  processors: readonly Processor[],
  question: Question<HOOK, DECISION>,
): Promise<DECISION | undefined> {
  const { step, toolCallId, overlaps = false, isApart = false, steps } = question
  const { messageList } = run
  const detector = question.compared && new ChangeDetector(question.compared)
  for (const processor of processors) {
    const own = run.gate(processor)
    const gate = isApart ? own.fork() : own
    const whole = own.record(hook, step?.number)
    const decided = run.decisions && new CallRecord(whole)
    const record = decided ?? whole
    const asked = question.args(processor)
    const args = isThenable(asked) ? await asked : asked
    const effects = new HookEffects(run, record, { ...question, detector })
    const hookArgs = effects.trackAccess({
      ...gate.argsFor(record),
      ...(step && { stepNumber: step.number }),
      messageList,
      ...args,
    })
    if (steps) withComputed(hookArgs, 'steps', () => stepsFor(own, steps))
    let skipped = false
    let decision: DECISION | undefined
    try {
      const call = () => (processor[hook] as AnyHook).call(processor, hookArgs)
      const answer = gate.call<unknown, typeof SKIPPED>(record, call, SKIPPED)
      if (overlaps) effects.endSync(!isThenable(answer))
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
 * The validated result of a hook.
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
