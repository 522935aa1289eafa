import { inspectValues } from './bytes/inspect-values.ts'
import type { InspectedTexts, Inspector, TextsOptions } from './inspector.ts'
import type { ContentItem } from './message-text.ts'
import type { Task } from './task.ts'
import type { Place, Treatment } from './treatment.ts'

export interface InspectContentOptions {
  /** See {@link inspectValues}. */
  readonly treatment: Treatment | undefined
  /** The place of a value; `undefined` if it is not inspected. */
  readonly placeOf: (item: ContentItem) => Place | undefined
  /** Groups the values that belong to no passage. Values of one group are inspected together. */
  readonly groupOf: (item: ContentItem) => string
  readonly texts: (passage: string, place: Place) => TextsOptions
  readonly onTexts?: (passage: string, inspected: InspectedTexts) => void
}

export interface InspectedContent {
  readonly treated: unknown[]
  /** Positions of the parts that have findings. */
  readonly found: ReadonlySet<number>
}

interface Group {
  readonly place: Place
  readonly passage: string | undefined
  readonly indexes: number[]
}

/** Inspects values: the texts of a passage as one text, all other values of a group together. */
export function* inspectContent(
  inspector: Inspector,
  items: readonly ContentItem[],
  { treatment, placeOf, groupOf, texts, onTexts }: InspectContentOptions,
): Task<InspectedContent> {
  const groups = new Map<string, Group>()
  for (const [index, item] of items.entries()) {
    const place = placeOf(item)
    if (!place) continue
    const { passage } = item
    const key = passage === undefined ? `${place.surface} ${groupOf(item)}` : `passage ${passage}`
    const group = groups.get(key)
    if (group) group.indexes.push(index)
    else groups.set(key, { place, passage, indexes: [index] })
  }
  const treated = items.map(({ value }) => value)
  const found = new Set<number>()
  for (const { place, passage, indexes } of groups.values()) {
    const members = indexes.map((index) => items[index] as ContentItem)
    let rest: readonly unknown[]
    if (passage === undefined) rest = yield* inspectValues(inspector, members, { place, treatment })
    else {
      const whole = members.map(({ value }) => value as string)
      const inspected = yield* inspector.texts(whole, place, texts(passage, place))
      onTexts?.(passage, inspected)
      rest = inspected.treated
    }
    for (const [at, index] of indexes.entries()) {
      const isFound = place.found && (passage === undefined || rest[at] !== treated[index])
      if (isFound) found.add((items[index] as ContentItem).position)
      treated[index] = rest[at]
    }
  }
  return { treated, found }
}
