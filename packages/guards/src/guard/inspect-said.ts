import type { InspectedTexts, Inspector, TextsOptions } from './inspector.ts'
import type { Saying } from './message-text.ts'
import type { Task } from './task.ts'
import type { Place } from './treatment.ts'

export interface InspectSaidOptions {
  /** The place of a value; `undefined` if it is not inspected. */
  readonly placeOf: (saying: Saying) => Place | undefined
  /** Groups the values that belong to no passage. Values of one group are inspected together. */
  readonly groupOf: (saying: Saying) => string
  readonly texts: (passage: string, place: Place) => TextsOptions
  readonly onTexts?: (passage: string, inspected: InspectedTexts) => void
}

export interface InspectedSaid {
  readonly left: unknown[]
  /** Positions of the parts that have findings. */
  readonly found: ReadonlySet<number>
}

interface Group {
  readonly place: Place
  readonly passage: string | undefined
  readonly indexes: number[]
}

/** Inspects values: the texts of a passage as one text, all other values of a group together. */
export function* inspectSaid(
  inspector: Inspector,
  sayings: readonly Saying[],
  { placeOf, groupOf, texts, onTexts }: InspectSaidOptions,
): Task<InspectedSaid> {
  const groups = new Map<string, Group>()
  for (const [index, saying] of sayings.entries()) {
    const place = placeOf(saying)
    if (!place) continue
    const { passage } = saying
    const key = passage === undefined ? `${place.surface} ${groupOf(saying)}` : `passage ${passage}`
    const group = groups.get(key)
    if (group) group.indexes.push(index)
    else groups.set(key, { place, passage, indexes: [index] })
  }
  const left = sayings.map(({ value }) => value)
  const found = new Set<number>()
  for (const { place, passage, indexes } of groups.values()) {
    const said = indexes.map((index) => sayings[index] as Saying)
    let rest: readonly unknown[]
    if (passage === undefined) rest = yield* inspector.values(said, place)
    else {
      const whole = said.map(({ value }) => value as string)
      const inspected = yield* inspector.texts(whole, place, texts(passage, place))
      onTexts?.(passage, inspected)
      rest = inspected.left
    }
    for (const [at, index] of indexes.entries()) {
      const isFound = place.found && (passage === undefined || rest[at] !== left[index])
      if (isFound) found.add((sayings[index] as Saying).position)
      left[index] = rest[at]
    }
  }
  return { left, found }
}
