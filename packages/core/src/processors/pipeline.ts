import { MillraceError } from '../errors.ts'
import { HOOK_NAMES, HOOKS, type HookName } from '../hook-name.ts'
import { requireOptions } from '../option-names.ts'
import { refuseUnknownHooks } from './known-hooks.ts'
import { arrange, PLACED, type Placed } from './order.ts'
import type { Processor, ProcessorProvider } from './processor.ts'

/** An element of a list of processors: a processor, a processor with its place, or a provider of several. */
export type ProcessorEntry = Processor | Placed | ProcessorProvider

export interface PipelineOptions {
  /** Run in all hooks, before those of the other two lists. */
  processors?: readonly ProcessorEntry[] | undefined
  /** Run in `processInput` and `processInputStep`. */
  inputProcessors?: readonly ProcessorEntry[] | undefined
  /** Run in the output hooks. */
  outputProcessors?: readonly ProcessorEntry[] | undefined
  /** Runs last in both lists. */
  memory?: ProcessorProvider | undefined
  /** An input processor that runs after all others, including the memory. */
  last?: Processor | undefined
}

/** A pipeline without processors. */
export const EMPTY_PIPELINE: Pipeline = {
  ...(Object.fromEntries(HOOK_NAMES.map((hook) => [hook, null])) as Record<HookName, null>),
  names: new Map(),
  remembers: false,
}

/** A processor that implements this hook. */
export type ProcessorWith<HOOK extends HookName> = Processor & Required<Pick<Processor, HOOK>>

/** Processors in order, by the hook they implement. A hook without implementations is `null` and costs nothing. */
export type Pipeline = { readonly [HOOK in HookName]: readonly ProcessorWith<HOOK>[] | null } & {
  /** All processors with the keys of their state in a suspended run: their ids, made unique. */
  readonly names: ReadonlyMap<Processor, string>
  /**
   * Whether a processor loads the conversation. If so, the history that a client sends is neither needed nor trusted.
   */
  readonly remembers: boolean
}

/** The hooks that processors of a list may have: those of the list, and those of both lists. */
function hooksOf(list: 'input' | 'output'): HookName[] {
  return [list, 'any'].flatMap((one) => HOOK_NAMES.filter((hook) => HOOKS[hook].list === one))
}

/**
 * Validates and orders the processors of an agent, once.
 *
 * @throws MillraceError `CONFIG_HOOK_MISSING`, `CONFIG_HOOK_UNKNOWN`, `CONFIG_ID_DUPLICATE`, `CONFIG_ID_MISSING`,
 *   `CONFIG_ORDER_CYCLE`, `CONFIG_INVALID`
 */
export function compilePipeline({
  processors = [],
  inputProcessors = [],
  outputProcessors = [],
  memory,
  last,
}: PipelineOptions): Pipeline {
  for (const entry of processors) requireHook(entry, HOOK_NAMES, 'processors')
  for (const entry of inputProcessors) requireHook(entry, hooksOf('input'), 'inputProcessors')
  for (const entry of outputProcessors) requireHook(entry, hooksOf('output'), 'outputProcessors')

  const own = { input: [...processors, ...inputProcessors], output: [...processors, ...outputProcessors] }
  const input = arrange(expand(own.input, own.output, 'getInputProcessors', memory), 'input')
  if (last) input.push(last)
  const output = arrange(expand(own.output, own.input, 'getOutputProcessors', memory), 'output')

  const all = [...new Set([...input, ...output])]
  for (const processor of all) requireHook(processor, HOOK_NAMES, 'the processors of a provider')
  // In the input list alone, a processor that stores answers only loads them.
  const any = all.filter((processor) => !processor.keepsIncomplete || output.includes(processor))
  const lists = { input, output, any }
  const hooks: Partial<Record<HookName, readonly Processor[] | null>> = {}
  for (const hook of HOOK_NAMES) {
    const members = lists[HOOKS[hook].list].filter((processor) => processor[hook] !== undefined)
    hooks[hook] = members.length === 0 ? null : members
  }
  const remembers = input.some(({ exclusive }) => exclusive === 'message-history')
  return { ...hooks, names: nameAll(all), remembers } as Pipeline
}

function nameAll(processors: readonly Processor[]): ReadonlyMap<Processor, string> {
  const names = new Map<Processor, string>()
  const used = new Set<string>()
  for (const processor of processors) {
    let name = processor.id
    for (let count = 2; used.has(name); count++) name = `${processor.id}#${count}`
    used.add(name)
    names.set(processor, name)
  }
  return names
}

/**
 * Replaces each provider by its processors for this list. A provider that is only in the other list is appended here;
 * the agent's memory comes last.
 */
function expand(
  list: readonly ProcessorEntry[],
  otherList: readonly ProcessorEntry[],
  half: 'getInputProcessors' | 'getOutputProcessors',
  memory: ProcessorProvider | undefined,
): (Processor | Placed)[] {
  const guests = otherList.filter((entry) => isProvider(entry) && !list.includes(entry))
  const all = [...new Set<ProcessorEntry>([...list, ...guests, ...(memory ? [memory] : [])])]
  // The set removes duplicates, but a processor that is listed twice must be refused.
  const repeated = list.filter((entry, index) => !isProvider(entry) && list.indexOf(entry) !== index)
  return [...all, ...repeated].flatMap((entry) => (isProvider(entry) ? (entry[half]?.() ?? []) : [entry]))
}

export function isProvider(entry: ProcessorEntry): entry is ProcessorProvider {
  if (typeof entry !== 'object' || entry === null) return false
  return 'getInputProcessors' in entry || 'getOutputProcessors' in entry
}

/**
 * Validates an element of a list.
 *
 * @throws MillraceError `CONFIG_HOOK_MISSING`, `CONFIG_HOOK_UNKNOWN`, `CONFIG_INVALID`
 */
export function requireHook(entry: ProcessorEntry, hooks: readonly HookName[], list: string): void {
  if (isProvider(entry)) return
  const isPlaced = typeof entry === 'object' && entry !== null && 'processor' in entry
  if (isPlaced) requireOptions(`An entry of ${list}`, entry, PLACED)
  const processor = isPlaced ? entry.processor : entry
  if (typeof processor !== 'object' || processor === null) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `${list} contains a value of type ${typeof processor}. Pass processor objects.`,
    )
  }
  refuseUnknownHooks(processor, list)
  if (typeof processor.id !== 'string' || processor.id === '') {
    throw new MillraceError('CONFIG_INVALID', `A processor in ${list} has no id. Pass a non-empty string.`)
  }
  if (hooks.some((hook) => typeof processor[hook] === 'function')) return
  throw new MillraceError(
    'CONFIG_HOOK_MISSING',
    `The processor '${processor.id}' in ${list} implements none of ${hooks.join(', ')}. Implement one, or move it to the list of the hooks it has.`,
  )
}
