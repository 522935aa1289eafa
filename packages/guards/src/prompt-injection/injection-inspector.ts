import type {
  ContentValue,
  InspectedTexts,
  Inspector,
  PrecedingText,
  TextsOptions,
} from '../guard/inspector.ts'
import { listsIn, rewriteJson, rewriteTexts, textsIn } from '../guard/json-value.ts'
import type { Task } from '../guard/task.ts'
import { type Edit, editTexts } from '../guard/text-edits.ts'
import type { Place, Treatment } from '../guard/treatment.ts'
import type { TextKind } from './classifier/classifier.ts'
import type { Evidence, InjectionScore, ScoreContext } from './injection-scorer.ts'
import type { InjectionSurface } from './options.ts'
import { attackEdits, NOTICE } from './rewrite-attack.ts'
import type { SlicedScorer } from './sliced-scorer.ts'

interface InjectionInspectorOptions {
  readonly scorer: SlicedScorer
  readonly treatment: Treatment
  readonly thresholds: Readonly<Partial<Record<InjectionSurface, number>>>
  /** Whether the score comes from a classifier of the user. */
  readonly isOwn: boolean
}

const SURFACE_NAMES: Record<InjectionSurface, string> = {
  input: 'the input',
  history: 'the history',
  'tool-result': 'the result of a tool',
  file: 'a file',
  'tool-definition': 'the definition of a tool',
}

const KINDS: Readonly<Record<InjectionSurface, TextKind>> = {
  input: 'prompt',
  history: 'prompt',
  'tool-result': 'data',
  file: 'data',
  'tool-definition': 'data',
}

/** How much of two adjacent texts is scored together at their boundary, in UTF-16 units of each. */
const REACH = 2_000

/** In texts with more sentences, attacks are not searched sentence by sentence. A user's classifier may be slow. */
const MOST_SENTENCES = 2_000
const MOST_SENTENCES_OWN = 32

/** Shorter texts are not scored. */
const SHORTEST = 4

/** Fields that identify something and contain no text. */
const NAMES: ReadonlySet<string> = new Set(['mediaType', 'sourceId', 'id', 'kind'])

/** Fields that are replaced as a whole if they contain an attack. All other values keep their structure. */
const RESULTS: ReadonlySet<string> = new Set(['output', 'error', 'errorText', 'view'])

/** Finds prompt injections. */
export class InjectionInspector implements Inspector {
  readonly reach: number = REACH
  readonly #options: InjectionInspectorOptions

  constructor(options: InjectionInspectorOptions) {
    this.#options = options
  }

  *texts(texts: readonly string[], place: Place, { alone, before }: TextsOptions): Task<InspectedTexts> {
    const joined = texts.join('')
    let edits = yield* this.#attacksIn(joined, place)
    if (edits.length === 0 && alone && texts.length > 1) {
      let offset = 0
      const all: Edit[] = []
      for (const text of texts) {
        for (const { start, end, insert } of yield* this.#attacksIn(text, place)) {
          all.push({ start: start + offset, end: end + offset, insert })
        }
        offset += text.length
      }
      edits = all
    }
    if (edits.length > 0) {
      return {
        treated: this.#options.treatment.rewrites(place) ? editTexts(texts, edits) : texts,
        open: REACH,
      }
    }
    return before ? yield* this.seam(before, texts, place) : { treated: texts, open: REACH }
  }

  /**
   * Scores the text together with the end of the previous one: an attack may be cut in two. The passage that scores
   * high must span the boundary, and neither text may be an attack by itself, since two unrelated harmless texts score
   * higher together than each alone. Two cases need a score halfway between the threshold and 1: a user's classifier,
   * which does not locate the attack, and the layer `stray`, since any question is out of place after a document.
   */
  *seam(before: PrecedingText, texts: readonly string[], place: Place): Task<InspectedTexts> {
    const { scorer, treatment, isOwn } = this.#options
    const threshold = this.#thresholdOf(place)
    const context = scoreContextOf(place)
    const second = texts.join('')
    const untouched: InspectedTexts = { treated: texts, open: REACH }
    if (threshold === undefined || second === '' || before.text.trim() === '') return untouched
    const cut = before.text.length
    const isBroken = /\s$/.test(before.text) || /^\s/.test(second)
    for (const between of isBroken ? [''] : ['', ' ']) {
      const score = yield* scorer.score(before.text + between + second.slice(0, REACH), context)
      const isUnsure = isOwn || score.evidence.some(({ layer }) => layer === 'stray')
      if (score.score < (isUnsure ? (1 + threshold) / 2 : threshold)) continue
      if (score.start >= cut || score.end <= cut + between.length) continue
      const [first, own] = [yield* scorer.score(before.text, context), yield* scorer.score(second, context)]
      if (first.score >= threshold || own.score >= threshold) return untouched
      treatment.settle(this.#found({ ...score, start: 0, end: second.length }, place), place)
      if (!treatment.rewrites(place)) return untouched
      before.truncate(score.start)
      return { treated: editTexts(texts, [{ start: 0, end: second.length, insert: NOTICE }]), open: 0 }
    }
    return untouched
  }

  *values(content: readonly ContentValue[], place: Place): Task<readonly unknown[]> {
    const treated: unknown[] = []
    for (const each of content) {
      const isInspected = each.kind !== 'provider' && !NAMES.has(each.field)
      treated.push(isInspected ? yield* this.#value(each, place) : each.value)
    }
    return treated
  }

  /** Outputs are not surfaces of this guard. */
  open(): undefined {
    return undefined
  }

  /** Scores every string of a value, and all of them together, since an attack may be spread over them. */
  *#value({ value, field }: ContentValue, place: Place): Task<unknown> {
    const texts = textsIn(value)
    const treated: string[] = []
    let isFound = false
    for (const { text } of texts) {
      const edits = yield* this.#attacksIn(text, place)
      isFound ||= edits.length > 0
      treated.push(edits.length > 0 ? (editTexts([text], edits)[0] as string) : text)
    }
    if (!isFound && texts.length > 1) {
      const lists = listsIn(texts).map((items) => items.map((item) => texts[item]?.text).join(''))
      for (const whole of [texts.map(({ text }) => text).join('\n'), ...lists]) {
        if ((yield* this.#attacksIn(whole, place)).length === 0) continue
        return this.#options.treatment.rewrites(place) ? replaced(value, field) : value
      }
    }
    return isFound && this.#options.treatment.rewrites(place) ? rewriteTexts(value, treated) : value
  }

  /** The edits of a text that contains an attack; empty for any other text. */
  *#attacksIn(text: string, place: Place): Task<readonly Edit[]> {
    const { scorer, treatment, isOwn } = this.#options
    const threshold = this.#thresholdOf(place)
    if (threshold === undefined || text.length < SHORTEST) return []
    const context = scoreContextOf(place)
    const score = yield* scorer.score(text, context)
    if (score.score < threshold || !(isOwn || isCounted(score, place))) return []
    treatment.settle(this.#found(score, place), place)
    const isRewritten = treatment.strategyAt(place.surface) === 'rewrite' && treatment.rewrites(place)
    return isRewritten
      ? yield* attackEdits(text, scorer, {
          threshold,
          context,
          mostSentences: isOwn ? MOST_SENTENCES_OWN : MOST_SENTENCES,
        })
      : [{ start: 0, end: text.length, insert: NOTICE }]
  }

  #thresholdOf({ surface }: Place): number | undefined {
    return this.#options.thresholds[surface as InjectionSurface]
  }

  #found({ score, start, end, evidence }: InjectionScore, { surface }: Place) {
    const finding = { type: 'prompt-injection', score, start, end, evidence }
    return {
      findings: [finding],
      reason: `A prompt injection was found in ${SURFACE_NAMES[surface as InjectionSurface]}.`,
      metadata: { surface, detections: [finding] },
    }
  }
}

function scoreContextOf({ surface, context: { abortSignal } }: Place): ScoreContext {
  return { kind: KINDS[surface as InjectionSurface], abortSignal }
}

/** Signs of an attack that do not occur in ordinary tool definitions. */
const SIGNS_IN_DEFINITIONS: ReadonlySet<Evidence['layer']> = new Set([
  'override',
  'override-loose',
  'role',
  'freedom',
  'unbound',
  'exfiltration',
  'secrecy',
  'delimiter',
  'fake-turn',
  'encoding',
  'custom',
])

/** A tool definition gives orders by its nature, so the score of its words is not enough. */
export function isCounted({ evidence }: InjectionScore, { surface }: Pick<Place, 'surface'>): boolean {
  return surface !== 'tool-definition' || evidence.some(({ layer }) => SIGNS_IN_DEFINITIONS.has(layer))
}

/** Replaces a value whose strings together are an attack. */
function replaced(value: unknown, field: string): unknown {
  if (RESULTS.has(field)) return NOTICE
  if (field !== 'approval') return rewriteJson(value, () => NOTICE)
  return { ...(value as object), reason: NOTICE }
}
