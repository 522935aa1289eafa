import { atOnce, type Task } from '../../guard/task.ts'
import type { Prototype } from '../../unicode-normalizer/look-alikes.ts'
import type { ReadText } from '../text/folded-text.ts'
import { foldInSteps } from '../text/folded-text.ts'
import { findAddressed } from './addressed.ts'
import { findDelimiters } from './delimiters.ts'
import type { SignHit } from './layer.ts'
import { findNoise } from './noise.ts'
import { findOrders } from './orders.ts'
import { findPhrases } from './phrases.ts'
import { settleQuotations } from './quotation.ts'
import { findStrayRequests } from './stray-requests.ts'

/** A text with all that the layers found in it. */
export interface Reading extends ReadText {
  readonly hits: readonly SignHit[]
}

/** Reads a text as it stands; what it may say once decoded is another text. */
export function readText(text: string, prototypeOf: Prototype): Reading {
  return atOnce(readInSteps(text, prototypeOf))
}

/** The same, in steps between which other work may go first. */
export function* readInSteps(text: string, prototypeOf: Prototype): Task<Reading> {
  const read: ReadText = { text, ...(yield* foldInSteps(text, prototypeOf)) }
  if (read.words.length === 0) return { ...read, hits: [] }
  const hits = [findPhrases, findOrders, findAddressed, findDelimiters, findNoise, findStrayRequests].flatMap(
    (find) => find(read),
  )
  return { ...read, hits: settleQuotations(read, hits) }
}
