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

/** A folded text with the signs of all layers. */
export interface Reading extends ReadText {
  readonly hits: readonly SignHit[]
}

/** Folds a text and finds its signs. Encoded passages are decoded separately, as other texts. */
export function readText(text: string, prototypeOf: Prototype): Reading {
  return atOnce(readInSteps(text, prototypeOf))
}

/** Like `readText`, in steps that yield to the event loop. */
export function* readInSteps(text: string, prototypeOf: Prototype): Task<Reading> {
  const read: ReadText = { text, ...(yield* foldInSteps(text, prototypeOf)) }
  if (read.words.length === 0) return { ...read, hits: [] }
  const hits = [findPhrases, findOrders, findAddressed, findDelimiters, findNoise, findStrayRequests].flatMap(
    (find) => find(read),
  )
  return { ...read, hits: settleQuotations(read, hits) }
}
