import type { Reading } from '@millrace/guards/internals'
import {
  forEachConceptFeature,
  forEachPiece,
  forEachWordFeature,
  hashWord,
  signCounts,
  type TextKind,
  type Window,
  windowsOf,
} from '@millrace/guards/internals'

/** The buckets of the features of one kind, in the order of the words. */
export interface Features {
  readonly buckets: Int32Array
  /** The offset of each word's first bucket, followed by the total number of buckets. */
  readonly offsets: Int32Array
}

/** A labeled text, prepared for training. */
export interface Example {
  readonly words: Features
  readonly pieces: Features
  readonly concepts: Features
  readonly signs: readonly (Uint32Array | undefined)[]
  readonly windows: readonly Window[]
}

/** An example of what an attack is, or is not. */
export interface LabelledExample extends Example {
  readonly label: 0 | 1
  readonly weight: number
  /** Whether the text around the attack is known to be harmless. */
  readonly isPlanted: boolean
  /** The place of the attack, in words, if it is known. */
  readonly order?: Window | undefined
}

export function exampleOf(reading: Reading, kind: TextKind): Example {
  const { words } = reading
  const recent = { places: [] }
  const hashes = Int32Array.from(words, hashWord)
  return {
    words: collect(words.length, (place, take) => {
      forEachWordFeature(reading, { place, hashes }, take)
    }),
    pieces: collect(words.length, (place, take) => {
      forEachPiece(words[place] as string, take)
    }),
    concepts: collect(words.length, (place, take) => {
      forEachConceptFeature(reading, { place, recent }, take)
    }),
    signs: signCounts(reading, kind),
    windows: windowsOf(reading),
  }
}

function collect(length: number, each: (place: number, take: (bucket: number) => void) => void): Features {
  const buckets: number[] = []
  const offsets = new Int32Array(length + 1)
  for (let place = 0; place < length; place++) {
    each(place, (bucket) => buckets.push(bucket))
    offsets[place + 1] = buckets.length
  }
  return { buckets: Int32Array.from(buckets), offsets }
}
