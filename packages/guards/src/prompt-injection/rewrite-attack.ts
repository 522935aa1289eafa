import type { Task } from '../guard/task.ts'
import type { Edit } from '../guard/text-edits.ts'
import type { ScoreContext } from './injection-scorer.ts'
import type { SlicedScorer } from './sliced-scorer.ts'

/** Replaces an attack. */
export const NOTICE = '[REMOVED: possible prompt injection]'

/** If attacks remain after this many passages, the text is replaced as a whole. */
const MOST_PASSAGES = 8

/** A period within a word, as in a URL or a number, does not end a sentence. */
const SENTENCE_END = /[。！？\n]|[.!?](?![\p{L}\p{N}])/gu

interface Sentence {
  readonly start: number
  readonly text: string
  isAttack: boolean
}

export interface RewriteOptions {
  readonly threshold: number
  readonly context: ScoreContext
  /** Texts with more sentences are replaced as a whole, since each sentence is scored by itself. */
  readonly mostSentences: number
}

/** The edits that replace each passage of an attack by a notice. */
export function* attackEdits(
  text: string,
  scorer: SlicedScorer,
  { threshold, context, mostSentences }: RewriteOptions,
): Task<Edit[]> {
  const whole = [{ start: 0, end: text.length, insert: NOTICE }]
  const sentences = sentencesOf(text)
  if (sentences.length < 2 || sentences.length > mostSentences) return whole
  for (const sentence of sentences) {
    sentence.isAttack = (yield* scorer.score(sentence.text, context)).score >= threshold
  }
  for (let round = 0; round < MOST_PASSAGES; round++) {
    const remaining = sentences.filter(({ isAttack }) => !isAttack)
    const { score, start, end } = yield* scorer.score(
      remaining.map((sentence) => sentence.text).join(''),
      context,
    )
    if (score < threshold) return editsOf(sentences)
    let place = 0
    for (const sentence of remaining) {
      const from = place
      place += sentence.text.length
      if (place > start && from < end) sentence.isAttack = true
    }
  }
  return whole
}

function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = []
  let start = 0
  const add = (end: number): void => {
    if (end > start) sentences.push({ start, text: text.slice(start, end), isAttack: false })
    start = end
  }
  for (const { index } of text.matchAll(SENTENCE_END)) add(index + 1)
  add(text.length)
  return sentences
}

/** Consecutive sentences get one notice. */
function editsOf(sentences: readonly Sentence[]): Edit[] {
  const edits: { start: number; end: number; insert: string }[] = []
  for (const { start, text, isAttack } of sentences) {
    if (!isAttack) continue
    const end = start + text.length
    const last = edits.at(-1)
    if (last?.end === start) last.end = end
    else edits.push({ start, end, insert: NOTICE })
  }
  return edits
}
