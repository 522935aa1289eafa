import { slicesOf } from '../slices.ts'
import { EditedText } from './edited-text.ts'
import { type EntityFinder, isBlank, KnownEntities } from './entities.ts'
import { EntityScanner, TextCollector } from './entity-scan.ts'
import type {
  ContentValue,
  InspectedTexts,
  InspectionRequest,
  Inspector,
  OpenOptions,
  OpenText,
  PrecedingText,
  TextsOptions,
} from './inspector.ts'
import { listsIn, textsIn } from './json-value.ts'
import { ScannerInspector, type ScannerInspectorOptions } from './scanner-inspector.ts'
import { isPromise, perform, type Task, wait } from './task.ts'
import type { TextEdits } from './text-edits.ts'
import type { Place } from './treatment.ts'

export interface EntityInspectorOptions extends ScannerInspectorOptions {
  readonly id: string
  readonly find: EntityFinder
  readonly threshold: number
  readonly onError: 'fail' | 'skip'
}

/** At a boundary of two texts, how much of each the finder gets, in UTF-16 units. */
const REACH = 128

/**
 * Finds what a scanner finds, and what a callback finds in whole texts. In a stream, the text of a step is held until
 * the response is complete, unless the strategy changes nothing.
 */
export class EntityInspector implements Inspector {
  readonly reach: number
  readonly #entities: KnownEntities
  readonly #inner: ScannerInspector
  /** Without entities. */
  readonly #plain: ScannerInspector
  readonly #skips: boolean
  /** The callback's error for a text that passed without the callback. Thrown at the end of the step. */
  #failure: { error: unknown } | undefined

  constructor({ id, find, threshold, onError, ...options }: EntityInspectorOptions) {
    const entities = new KnownEntities(find, { id, threshold })
    const scanner = new EntityScanner(options.scanner, (text) => entities.in(text))
    this.#entities = entities
    this.#skips = onError === 'skip'
    this.reach = Math.max(REACH, options.scanner.maxLength ?? 0)
    const seams = { isWhole: true, furthest: this.reach, alone: options.scanner }
    this.#inner = new ScannerInspector({ ...options, scanner, seams })
    this.#plain = new ScannerInspector(options)
  }

  *texts(texts: readonly string[], place: Place, options: TextsOptions): Task<InspectedTexts> {
    const before = this.#relevant(options.before, texts.join(''))
    yield* this.#find(textsToCheck(texts, options), place)
    const { treated } = yield* this.#inner.texts(texts, place, { ...options, before: undefined })
    return before ? yield* this.seam(before, treated, place) : { treated, open: this.reach }
  }

  *seam(before: PrecedingText, texts: readonly string[], place: Place): Task<InspectedTexts> {
    const open = this.reach
    const text = texts.join('')
    if (!this.#relevant(before, text)) return { treated: texts, open }
    yield* this.#find([this.#boundary(before, text)], place)
    return { treated: (yield* this.#inner.seam(before, texts, place)).treated, open }
  }

  *values(content: readonly ContentValue[], place: Place): Task<readonly unknown[]> {
    // Names of tools and ids of calls have no entities.
    if (place.fixed) return yield* this.#plain.values(content, place)
    yield* this.#find(textsToCheckOfValues(content), place)
    return yield* this.#inner.values(content, place)
  }

  *ahead(requests: readonly InspectionRequest[]): Task<void> {
    const [first] = requests
    if (!first) return
    const toCheck = requests.flatMap((request) => {
      if (!request.texts) return textsToCheckOfValues(request.content)
      const { texts, options } = request
      const text = texts.join('')
      const before = this.#relevant(options.before, text)
      return [...textsToCheck(texts, options), ...(before ? [this.#boundary(before, text)] : [])]
    })
    yield* this.#find(toCheck, first.place)
  }

  open(place: Place, { json, before, until }: OpenOptions, edits: TextEdits): OpenText {
    let text = ''
    const pass = (): PromiseLike<void> | undefined => {
      const inner = this.#inner.open(place, { json, before: this.#relevant(before, text), until }, edits)
      const passed = perform(passThrough(inner, text))
      return isPromise(passed) ? passed : undefined
    }
    return {
      push(piece) {
        text += piece
        return undefined
      },
      end: () => {
        const toCheck = stringsIn(text, json)
        if (before && this.#relevant(before, text)) toCheck.push(this.#boundary(before, text))
        const unknown = this.#entities.unknownOf(toCheck)
        return unknown.length > 0 ? this.#findInStream(unknown, place).then(pass) : pass()
      },
    }
  }

  finishStep(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure.error
  }

  /** The text that the finder gets for a boundary: the end of the text before, and the beginning of this one. */
  #boundary(before: PrecedingText, text: string): string {
    return before.text + text.slice(0, this.reach)
  }

  /** The text before, or `undefined` if one side of the boundary has nothing to find. */
  #relevant(before: PrecedingText | undefined, text: string): PrecedingText | undefined {
    return before && !isBlank(before.text) && !isBlank(text.slice(0, this.reach)) ? before : undefined
  }

  /** Runs the finder on texts of a stream. */
  #findInStream(unknown: readonly string[], { context }: Place): Promise<void> {
    return this.#entities.findIn(unknown, context.abortSignal).catch((error) => {
      if (!this.#skips) throw error
      // Throwing here would lose the text. It passes the recognizers only; the end of the step throws the error, which
      // records the skip.
      this.#failure ??= { error }
      this.#entities.markChecked(unknown)
    })
  }

  /** Runs the finder on the texts that were not checked yet. */
  *#find(texts: readonly string[], { context }: Place): Task<void> {
    const unknown = this.#entities.unknownOf(texts)
    if (unknown.length > 0) yield* wait(this.#entities.findIn(unknown, context.abortSignal))
  }
}

function* passThrough(text: OpenText, whole: string): Task<void> {
  for (const slice of slicesOf(whole)) {
    text.push(slice)
    yield slice.length
  }
  text.end()
}

function textsToCheck(texts: readonly string[], { json, alone }: TextsOptions): string[] {
  const toCheck = stringsIn(texts.join(''), json)
  return alone && texts.length > 1 && !json ? [...toCheck, ...texts] : toCheck
}

function textsToCheckOfValues(content: readonly ContentValue[]): string[] {
  return content.flatMap(({ value, kind }) => {
    const texts = textsIn(value, { numbers: kind !== 'provider' })
    const lists = listsIn(texts).map((items) => items.map((item) => texts[item]?.text).join(''))
    return [...texts.map(({ text }) => text), ...lists]
  })
}

/** The strings that a scan of this text sees. */
function stringsIn(text: string, json: boolean | undefined): string[] {
  const collector = new TextCollector()
  const ignore = (): void => {}
  const edits: TextEdits = { pass: ignore, insert: ignore, skip: ignore }
  const collected = new EditedText(
    { scanner: collector, json, replacement: () => '', onMatch: ignore },
    edits,
  )
  collected.push(text)
  collected.end()
  return collector.texts
}
