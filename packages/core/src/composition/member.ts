import { MillraceError } from '../errors.ts'
import { Gate, type GateHost, HOST } from '../processors/gate.ts'
import type { SuspendArgs } from '../processors/hook-arguments.ts'
import { HookRecord } from '../processors/hook-record.ts'
import { requireHook } from '../processors/pipeline.ts'
import { HOOK_NAMES, type HookName, type Processor } from '../processors/processor.ts'

/** What any hook gets, as far as composition needs to know. */
export interface HookArgs extends SuspendArgs {
  stepNumber?: number
  [HOST]?: GateHost
}

/** Any hook, seen from outside. */
export type Hook = (args: HookArgs) => unknown

/** A processor's hook, bound to it. */
export function hookOf(processor: Processor, hook: HookName): Hook | undefined {
  const method = processor[hook] as Hook | undefined
  return method && ((args) => method.call(processor, args))
}

/** The hooks a composed processor has. */
export type Hooks = Partial<Record<HookName, Hook>>

/** A processor of the given hooks, under the name of the one it stands for. */
export function compose<ID extends string>(
  { id, name, onError, exclusive }: Pick<Processor<ID>, 'id' | 'name' | 'onError' | 'exclusive'>,
  hooks: Hooks,
): Processor<ID> {
  return {
    id,
    ...(name !== undefined && { name }),
    ...(onError && { onError }),
    ...(exclusive !== undefined && { exclusive }),
    ...(hooks as object),
  }
}

export interface MemberOptions {
  hook: HookName
  /** The member's own state. */
  state: Record<string, unknown>
  abortSignal?: AbortSignal
  /** What the run was resumed with, where it was this member that had suspended. */
  resumeData?: unknown
}

/**
 * A member of a composed processor in one call of a hook, behind a gate of its own: its signals and errors bear its
 * name, `onError` holds for it alone, and what it did is recorded.
 */
export class Member {
  /** What the member's hook gets. */
  readonly args: HookArgs
  readonly processor: Processor
  readonly #gate: Gate
  readonly #record: HookRecord

  constructor(processor: Processor, args: HookArgs, options: MemberOptions) {
    const { hook, state, abortSignal = args.abortSignal, resumeData } = options
    this.processor = processor
    this.#gate = new Gate(processor, processor.id, args[HOST] ?? hostFrom(args))
    this.#gate.state = state
    this.#gate.resumeData = resumeData
    this.#record = recordOf(args, processor, hook)
    this.args = { ...args, ...this.#gate.argsFor(this.#record), abortSignal, writer: args.writer }
  }

  /** Calls `hook`. Answers at once where it does; with `skipped` where the hook fails and the member is to be skipped. */
  call(hook: Hook, skipped?: unknown): unknown {
    return this.#gate.call(this.#record, () => hook(this.args), skipped)
  }

  noteChange(): void {
    this.#record.note('changed')
  }
}

/**
 * Checks the members of a composed processor.
 *
 * @throws MillraceError `CONFIG_INVALID`, `CONFIG_HOOK_MISSING`, `CONFIG_ID_DUPLICATE`
 */
export function checkMembers(processors: readonly Processor[], composed: string): void {
  if (processors.length === 0) {
    throw new MillraceError('CONFIG_INVALID', `${composed} has no processors. Pass at least one.`)
  }
  const ids = new Set<string>()
  for (const processor of processors) {
    requireHook(processor, HOOK_NAMES, composed)
    if (ids.has(processor.id)) {
      throw new MillraceError(
        'CONFIG_ID_DUPLICATE',
        `The id '${processor.id}' occurs twice in ${composed}. Give each processor its own id: built-in processors take { id }.`,
      )
    }
    ids.add(processor.id)
  }
}

/** Records by the state of the composed processor, which is one object per run. */
const records = new WeakMap<object, Map<string, HookRecord>>()

function recordOf({ state, stepNumber }: HookArgs, { id }: Processor, hook: HookName): HookRecord {
  let known = records.get(state)
  if (!known) {
    known = new Map()
    records.set(state, known)
  }
  const key = `${id} ${hook} ${stepNumber}`
  let record = known.get(key)
  if (!record) {
    record = new HookRecord(id, hook, stepNumber)
    known.set(key, record)
  }
  return record
}

/** A host for hooks that are called by hand, without a run. */
function hostFrom(args: HookArgs): GateHost {
  const { requestContext, tracingContext, abortSignal, retryCount, counters, writer, waitUntil } = args
  return {
    requestContext,
    tracingContext,
    signal: abortSignal,
    retryCount,
    counters,
    records: [],
    warnings: [],
    emit: (chunk) => writer.write(chunk),
    throwIfOver: () => {},
    waitUntil,
  }
}
