import type {
  ContentValue,
  InspectedTexts,
  InspectionRequest,
  Inspector,
  OpenOptions,
  OpenText,
  PrecedingText,
  TextsOptions,
} from '../guard/inspector.ts'
import { jsonOf } from '../guard/json-of.ts'
import { listsIn, rewriteJson, textsIn } from '../guard/json-value.ts'
import { SURFACE_NAMES, type Surface } from '../guard/options.ts'
import { type Task, wait } from '../guard/task.ts'
import { type Edit, editTexts, overlaps, type TextEdits } from '../guard/text-edits.ts'
import type { Found, HookContext, Place, Treatment } from '../guard/treatment.ts'
import { JudgedText } from './judged-text.ts'
import type { Judgement } from './verdict.ts'
import type { WindowJudge } from './window-judge.ts'
import { type Window, type WindowSize, windowsOf } from './windows.ts'

const REDACTED = '[REDACTED]'

interface WindowInspectorOptions {
  readonly id: string
  readonly treatment: Treatment
  readonly windowJudge: WindowJudge
  /** The kind of finding, for the reason of an abort. */
  readonly label: string
  readonly windows: WindowSize
}

/** Types of parts whose texts are prose: each text is judged by itself. */
const PROSE: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'thinking',
  'file',
  'reasoning-file',
  'steering-message',
])
/** How much text is judged in one call of the check, in UTF-16 units. */
const BATCH = 8_192
/** Fields that identify something. They are not judged. */
const IDENTIFIER_FIELDS: ReadonlySet<string> = new Set(['mediaType', 'sourceId', 'id', 'kind'])

/**
 * Judges texts window by window; in a stream, while the next window arrives. The end of the text before is judged with
 * the first window.
 */
export class WindowInspector implements Inspector {
  readonly reach: number
  readonly #options: WindowInspectorOptions

  constructor(options: WindowInspectorOptions) {
    this.#options = options
    this.reach = options.windows.overlap
  }

  *texts(texts: readonly string[], place: Place, options: TextsOptions): Task<InspectedTexts> {
    const edits: Edit[] = []
    for (const { text, offset, before } of this.#textsToJudge(texts, options)) {
      for (const edit of yield* this.#edits(yield* this.#windows(text, before), place)) {
        const own = { ...edit, start: edit.start + offset, end: edit.end + offset }
        if (!overlaps(edits, own)) edits.push(own)
      }
    }
    edits.sort((one, other) => one.start - other.start)
    return { treated: this.#treated(texts, edits, place), open: this.reach }
  }

  *seam(before: PrecedingText, texts: readonly string[], place: Place): Task<InspectedTexts> {
    const [first] = yield* this.#windows(texts.join(''), before.text)
    const edits = first ? yield* this.#edits([first], place) : []
    return { treated: this.#treated(texts, edits, place), open: this.reach }
  }

  *values(content: readonly ContentValue[], place: Place): Task<readonly unknown[]> {
    const treated = content.map(({ value }) => value)
    for (const indexes of groupsOf(content)) {
      const values = indexes.map((index) => content[index]?.value)
      const found: Edit[] = []
      for (const text of yield* textsOf(values)) {
        if (found.length === 0) found.push(...(yield* this.#edits(yield* this.#windows(text), place)))
      }
      if (found.length === 0 || !this.#options.treatment.rewrites(place)) continue
      for (const index of indexes) {
        const value = treated[index]
        const isProse = typeof value === 'string' && PROSE.has(content[index]?.part ?? '')
        treated[index] = isProse ? editTexts([value], found)[0] : redacted(value, content[index]?.field)
      }
    }
    return treated
  }

  *ahead(requests: readonly InspectionRequest[]): Task<void> {
    const bySurface = new Map<string, { place: Place; windows: Window[] }>()
    for (const request of requests) {
      const { place } = request
      const group = bySurface.get(place.surface) ?? { place, windows: [] }
      bySurface.set(place.surface, group)
      const texts = request.texts
        ? this.#textsToJudge(request.texts, request.options)
        : yield* this.#textsToJudgeOfValues(request.content)
      for (const { text, before } of texts) {
        const windows = yield* this.#windows(text, before)
        group.windows.push(...windows, ...windows.filter(cutsWord).map(withoutContext))
      }
    }
    for (const { place, windows } of bySurface.values()) {
      for (const batch of batchesOf(windows)) {
        yield* wait(this.#options.windowJudge.judgeAhead(batch, place.surface, place.context))
        yield sizeOf(batch)
      }
    }
  }

  open(place: Place, { before, until }: OpenOptions, edits: TextEdits): OpenText | undefined {
    // An incomplete tool input cannot be judged. The complete input is.
    if (place.surface === 'tool-input') return undefined
    const { treatment, windows } = this.#options
    const ended = new AbortController()
    const signals = [place.context.abortSignal, until, ended.signal]
    const context: HookContext = { ...place.context, abortSignal: AbortSignal.any(signals) }
    return new JudgedText({
      windows,
      before: before?.text ?? '',
      // If nothing is changed, the stream does not wait for judgements.
      mostPending: treatment.changes ? 1 : Number.POSITIVE_INFINITY,
      check: async (window) => (await this.#judge([window], { ...place, context }))[0] as Judgement,
      treat: (window, judgement) => {
        if (!judgement.flagged) {
          edits.pass(window.text.length)
          return
        }
        try {
          this.#settle(window, judgement, place)
        } catch (error) {
          ended.abort(error)
          throw error
        }
        edits.insert(REDACTED)
        edits.skip(window.text.length)
      },
    })
  }

  /** The texts to judge: all joined, and each text that begins or ends within a word of the joined text. */
  #textsToJudge(
    texts: readonly string[],
    { alone, before }: TextsOptions,
  ): { text: string; offset: number; before: string }[] {
    const judged = [{ text: texts.join(''), offset: 0, before: before?.text ?? '' }]
    if (!alone) return judged
    let offset = 0
    for (const [index, text] of texts.entries()) {
      const isHidden = isWithinWord(texts[index - 1], text) || isWithinWord(text, texts[index + 1])
      if (isHidden) judged.push({ text, offset, before: '' })
      offset += text.length
    }
    return judged
  }

  *#textsToJudgeOfValues(content: readonly ContentValue[]): Task<{ text: string; before: string }[]> {
    const judged: { text: string; before: string }[] = []
    for (const indexes of groupsOf(content)) {
      const texts = yield* textsOf(indexes.map((index) => content[index]?.value))
      for (const text of texts) judged.push({ text, before: '' })
    }
    return judged
  }

  #windows(text: string, before?: string): Task<Window[]> {
    return windowsOf(text, this.#options.windows, before)
  }

  /** Judges windows. Returns the edits that replace the flagged ones. Ends the run if the strategy says so. */
  *#edits(windows: readonly Window[], place: Place): Task<Edit[]> {
    const edits: Edit[] = []
    for (const batch of batchesOf(windows)) {
      const judgements = yield* wait(this.#judge(batch, place))
      yield sizeOf(batch)
      for (const [index, window] of batch.entries()) {
        const judgement = judgements[index] as Judgement
        if (!judgement.flagged) continue
        this.#settle(window, judgement, place)
        const { start, text } = window
        const isRemoved = this.#options.treatment.filters && !place.isPast
        edits.push({ start, end: start + text.length, insert: isRemoved ? '' : REDACTED })
      }
    }
    return edits
  }

  /**
   * Judges windows. The first window is judged together with the end of the text before. It is also judged alone if
   * that text hides its first word, and if it is flagged: the flag may be for the text before only, which is judged
   * elsewhere.
   */
  async #judge(windows: readonly Window[], { surface, context }: Place): Promise<Judgement[]> {
    const { windowJudge } = this.#options
    const hidden = windows.filter(cutsWord).map(withoutContext)
    const judgements = await windowJudge.judge([...windows, ...hidden], surface, context)
    const own = judgements.slice(windows.length).values()
    return Promise.all(
      windows.map(async (window, index): Promise<Judgement> => {
        const judgement = judgements[index] as Judgement
        const known = cutsWord(window) ? own.next().value : undefined
        if (known?.flagged) return known
        if (!judgement.flagged || judgement.failure !== undefined || !isFirst(window)) return judgement
        const others = [
          { text: window.before, start: 0, before: '' },
          ...(known ? [] : [withoutContext(window)]),
        ]
        const [other, self = known] = await windowJudge.judge(others, surface, context)
        return self?.flagged || other?.flagged ? (self as Judgement) : judgement
      }),
    )
  }

  #treated(texts: readonly string[], edits: readonly Edit[], place: Place): readonly string[] {
    return this.#options.treatment.rewrites(place) ? editTexts(texts, edits) : texts
  }

  #settle(window: Window, judgement: Judgement, place: Place): void {
    const { id, label, windowJudge, treatment } = this.#options
    const { categories, score, failure } = judgement
    const { surface } = place
    const what = SURFACE_NAMES[surface as Surface]
    const found: Found = {
      findings: (categories.length > 0 ? categories : ['flagged']).map((type) => {
        return { type, start: window.start, end: window.start + window.text.length, score, recognizer: id }
      }),
      reason:
        failure === undefined
          ? `${label} found in ${what}${categories.length > 0 ? `: ${categories.join(', ')}` : ''}.`
          : `There is no verdict about ${what}: the check failed.`,
      metadata: { surface, categories: [...categories], score, judge: { ...windowJudge.cost } },
      // A text without a verdict ends the run, since no part of it can be redacted; and JSON cannot be cut.
      ends: failure !== undefined || surface === 'object',
    }
    treatment.settle(found, place)
  }
}

/** Groups of indexes to judge together: each text of prose alone, and all other values of a part as one JSON value. */
function groupsOf(content: readonly ContentValue[]): number[][] {
  const units: number[][] = []
  const others: number[] = []
  for (const [index, { value, kind, field, part }] of content.entries()) {
    const isJudged =
      kind !== 'provider' &&
      !IDENTIFIER_FIELDS.has(field) &&
      typeof value !== 'boolean' &&
      typeof value !== 'number'
    if (!isJudged) continue
    if (PROSE.has(part)) units.push([index])
    else others.push(index)
  }
  return others.length > 0 ? [...units, others] : units
}

/** A value with all strings replaced. The response to an approval keeps its structure. */
function redacted(value: unknown, field: string | undefined): unknown {
  if (field !== 'approval') return rewriteJson(value, () => REDACTED)
  const { reason } = value as { reason?: unknown }
  return reason === undefined ? value : { ...(value as object), reason: rewriteJson(reason, () => REDACTED) }
}

/** The texts to judge for a group of values: all of them as JSON, and the items of each list joined. */
function* textsOf(values: readonly unknown[]): Task<string[]> {
  const [value] = values
  if (values.length === 1 && typeof value === 'string') return [value]
  const texts = values.flatMap((each) => {
    const own = textsIn(each, { numbers: false })
    return listsIn(own).map((items) => items.map((item) => own[item]?.text).join(''))
  })
  return [yield* jsonOf(values.length === 1 ? value : values), ...texts]
}

/** Batches of windows, so that a check in this process can yield to the event loop in between. */
function* batchesOf(windows: readonly Window[]): Generator<readonly Window[]> {
  let batch: Window[] = []
  let size = 0
  for (const window of windows) {
    batch.push(window)
    size += window.text.length
    if (size < BATCH) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

/** Whether it is the first window of its text, judged with the end of the text before. */
function isFirst({ start, before }: Window): boolean {
  return start === 0 && before !== ''
}

function cutsWord(window: Window): boolean {
  return isFirst(window) && isWithinWord(window.before, window.text)
}

function withoutContext({ text, start }: Window): Window {
  return { text, start, before: '' }
}

function sizeOf(windows: readonly Window[]): number {
  return windows.reduce((size, { before, text }) => size + before.length + text.length, 0)
}

function isWithinWord(text: string | undefined, next: string | undefined): boolean {
  return /[\p{L}\p{N}]$/u.test(text ?? '') && /^[\p{L}\p{N}]/u.test(next ?? '')
}
