import { MillraceError } from '../errors.ts'
import type { OptionNames } from '../option-names.ts'
import type { Processor } from './processor.ts'

/** A processor with its place: directly after or before another processor of the same list. */
export type Placed = { processor: Processor } & (
  | { after: string; before?: never }
  | { before: string; after?: never }
)

export const PLACED: OptionNames<Placed> = { processor: 'required', after: 'optional', before: 'optional' }

/**
 * The list in its final order: entries without a place keep their order, the others are inserted next to their
 * target. Several with the same target keep their order.
 *
 * @throws MillraceError with the ids: `CONFIG_ID_DUPLICATE`, `CONFIG_ID_MISSING`, `CONFIG_ORDER_CYCLE`, or
 *   `CONFIG_INVALID` for two that are mutually exclusive
 */
export function arrange(entries: readonly (Processor | Placed)[], list: string): Processor[] {
  const ids = new Set<string>()
  for (const entry of entries) {
    const { id } = processorOf(entry)
    if (ids.has(id)) {
      throw new MillraceError(
        'CONFIG_ID_DUPLICATE',
        `The id '${id}' occurs twice among the ${list} processors. Use unique ids: built-in processors take { id }.`,
      )
    }
    ids.add(id)
  }
  checkExclusive(entries.map(processorOf), list)

  const arranged: Processor[] = []
  let waiting: Placed[] = []
  for (const entry of entries) {
    if (!isPlaced(entry)) arranged.push(entry)
    else if (ids.has(targetOf(entry))) waiting.push(entry)
    else {
      throw new MillraceError(
        'CONFIG_ID_MISSING',
        `The processor '${entry.processor.id}' is placed next to '${targetOf(entry)}', which is not among the ${list} processors: ${[...ids].join(', ')}.`,
      )
    }
  }

  while (waiting.length > 0) {
    const places = new Map(arranged.map(({ id }, index) => [id, index]))
    const ready = waiting.filter((entry) => places.has(targetOf(entry)))
    if (ready.length === 0) {
      throw new MillraceError(
        'CONFIG_ORDER_CYCLE',
        `These ${list} processors have before or after in a cycle: ${waiting.map(({ processor }) => processor.id).join(', ')}. Remove before or after from one of them.`,
      )
    }
    insert(arranged, ready)
    waiting = waiting.filter((entry) => !ready.includes(entry))
  }
  return arranged
}

function checkExclusive(processors: readonly Processor[], list: string): void {
  const owners = new Map<string, string>()
  for (const { id, exclusive } of processors) {
    if (exclusive === undefined) continue
    const owner = owners.get(exclusive)
    if (owner !== undefined) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `The ${list} processors '${owner}' and '${id}' both have exclusive: '${exclusive}', which only one processor of a list may have. Remove one of them.`,
      )
    }
    owners.set(exclusive, id)
  }
}

function insert(arranged: Processor[], placed: readonly Placed[]): void {
  // In reverse for `after`, in order for `before`: each is inserted directly next to the target, so the last one is
  // nearest.
  for (const { processor, after } of [...placed].reverse()) {
    if (after !== undefined) arranged.splice(arranged.findIndex(({ id }) => id === after) + 1, 0, processor)
  }
  for (const { processor, before } of placed) {
    if (before !== undefined)
      arranged.splice(
        arranged.findIndex(({ id }) => id === before),
        0,
        processor,
      )
  }
}

function isPlaced(entry: Processor | Placed): entry is Placed {
  return 'processor' in entry
}

function processorOf(entry: Processor | Placed): Processor {
  return isPlaced(entry) ? entry.processor : entry
}

function targetOf({ after, before }: Placed): string {
  return after ?? (before as string)
}
