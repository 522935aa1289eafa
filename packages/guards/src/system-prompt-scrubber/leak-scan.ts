import type { Task } from '../guard/task.ts'
import type { OpenScan } from '../guard/text-scanner.ts'
import type { Detection } from '../scanner/recognizer.ts'
import type { ScanSink } from '../scanner/scan-sink.ts'
import { slicesOf } from '../slices.ts'
import { Base64Reader } from './base64-reader.ts'
import { EscapeReader } from './escape-reader.ts'
import { LetterForm, type Reading } from './letter-form.ts'
import { rot13 } from './letter-gate.ts'
import { LetterReader } from './letter-reader.ts'
import { MorseReader } from './morse-reader.ts'
import { NumberForms } from './number-forms.ts'
import { type OnPhrase, PhraseCursor } from './phrase-cursor.ts'
import type { PhraseIndex } from './phrase-index.ts'
import { PlainReading } from './plain-reading.ts'
import { TextWindow } from './text-window.ts'

/** A text that must not leak. */
export interface Secret {
  readonly type: string
  readonly index: PhraseIndex
  /** Positions in the index at which a phrase ends that may be repeated. */
  readonly allowed: ReadonlySet<number>
}

interface Leak {
  readonly start: number
  readonly end: number
  readonly type: string
  readonly recognizer: string
  /** The position up to which the text had been read when the leak was found. */
  readonly at: number
}

type Writable<T> = { -readonly [KEY in keyof T]: T[KEY] }

/** Reads a text for one secret, in all encodings. */
class SecretForms {
  readonly #letters: LetterForm
  readonly #base64: Base64Reader
  readonly #numbers: NumberForms
  readonly #morse: MorseReader

  /** @param cursor Creates a cursor, by the name of the encoding */
  constructor(index: PhraseIndex, cursor: (form: string) => PhraseCursor) {
    this.#letters = new LetterForm(index, () => readingOf(cursor))
    this.#base64 = new Base64Reader(index, () => cursor('base64'))
    this.#numbers = new NumberForms(cursor)
    this.#morse = new MorseReader(() => cursor('morse'))
  }

  /** The start of the text that must stay in the window, because it may be read again. */
  get keptFrom(): number {
    return Math.min(this.#letters.keptFrom, this.#base64.keptFrom)
  }

  /** Reads the new text. Returns the start of the text that may become part of a leak. */
  read(text: TextWindow): number {
    this.#letters.read(text)
    this.#base64.read(text)
    this.#numbers.read(text)
    this.#morse.read(text)
    return Math.min(
      this.#letters.heldFrom,
      this.#base64.heldFrom,
      this.#numbers.heldFrom,
      this.#morse.heldFrom,
    )
  }
}

/** Scans one text for secrets in all encodings at once. */
export class LeakScan implements OpenScan {
  readonly #sink: ScanSink
  readonly #secrets: readonly SecretForms[]
  readonly #window = new TextWindow()
  /** Everything before this position is emitted. */
  #out = 0
  /** Leaks that are found but not emitted yet, in order. */
  #leaks: Leak[] = []
  #open: Writable<Detection> | undefined

  constructor(secrets: readonly Secret[], sink: ScanSink) {
    this.#sink = sink
    this.#secrets = secrets.map(({ type, index, allowed }) => {
      const add =
        (form: string): OnPhrase =>
        ({ start, end, place }) => {
          if (!allowed.has(place)) this.#add({ start, end, type, recognizer: form, at: this.#window.at })
        }
      return new SecretForms(index, (form) => new PhraseCursor(index, add(form)))
    })
  }

  push(piece: string): void {
    if (this.#secrets.length === 0) {
      this.#sink.pass(piece.length)
      return
    }
    const window = this.#window
    if (!window.hasRoomFor(piece)) window.makeRoom(piece, this.#keptFrom)
    window.add(piece)
    let held = window.end
    for (const each of this.#secrets) {
      const from = each.read(window)
      if (from < held) held = from
    }
    this.#emit(held)
  }

  end(): void {
    this.#window.finish()
    for (const each of this.#secrets) each.read(this.#window)
    this.#emit(this.#window.end)
  }

  get #keptFrom(): number {
    return Math.min(this.#out, ...this.#secrets.map(({ keptFrom }) => keptFrom))
  }

  /** Sorted by start; leaks with the same start stay in the order in which they were found. */
  #add(leak: Leak): void {
    const leaks = this.#leaks
    let index = leaks.length
    while (index > 0 && isBefore(leak, leaks[index - 1] as Leak)) index--
    leaks.splice(index, 0, leak)
  }

  /** Emits the text before `safe`, and the leaks that begin before it. */
  #emit(safe: number): void {
    if (this.#leaks.length === 0) {
      this.#pass(safe)
      return
    }
    let taken = 0
    for (const leak of this.#leaks) {
      if (this.#open && leak.start <= this.#open.end) {
        taken++
        if (leak.end > this.#open.end) this.#cover(this.#open, leak.end)
        continue
      }
      if (leak.start >= safe) break
      taken++
      this.#pass(leak.start)
      const { start, end, type, recognizer } = leak
      this.#open = { type, start, end, score: 1, recognizer }
      this.#sink.match(this.#open, this.#window.textBetween(start, end), { continues: false, open: true })
      this.#cover(this.#open, end)
    }
    if (taken > 0) this.#leaks.splice(0, taken)
    this.#pass(safe)
  }

  #pass(end: number): void {
    if (end <= this.#out) return
    this.#sink.pass(end - this.#out)
    this.#out = end
  }

  #cover(open: Writable<Detection>, end: number): void {
    open.end = end
    if (end <= this.#out) return
    this.#sink.cover(end - this.#out)
    this.#out = end
  }
}

function isBefore(one: Leak, other: Leak): boolean {
  return one.start < other.start || (one.start === other.start && one.at < other.at)
}

/** Creates a reader that matches the letters of a text as they are and in ROT13. */
function readingOf(cursor: (form: string) => PhraseCursor): Reading {
  const plain = new PlainReading(() => cursor('plain'))
  const rotated = cursor('rot13')
  const reader = new EscapeReader(
    new LetterReader({
      letter(letter, start, end, afterGap) {
        plain.letter(letter, start, end, afterGap)
        rotated.letter(rot13(letter), start, end, afterGap)
      },
      sign(letter, start, end, afterGap) {
        plain.sign(letter, start, end, afterGap)
      },
      gap() {
        plain.gap()
        rotated.gap()
      },
      reset() {
        plain.reset()
        rotated.reset()
      },
    }),
  )
  return new RotatedReading(reader, plain, rotated)
}

/** Two readings of the same letters: as they are, and in ROT13. */
class RotatedReading implements Reading {
  readonly reader: EscapeReader
  readonly #plain: PlainReading
  readonly #rotated: PhraseCursor

  constructor(reader: EscapeReader, plain: PlainReading, rotated: PhraseCursor) {
    this.reader = reader
    this.#plain = plain
    this.#rotated = rotated
  }

  get heldFrom(): number {
    return Math.min(this.reader.heldFrom, this.#plain.heldFrom, this.#rotated.heldFrom)
  }
}

/** Returns the positions in an index at which phrases end that occur in an unencoded text. */
export function* placesIn(text: string, index: PhraseIndex): Task<number[]> {
  const places: number[] = []
  const window = new TextWindow()
  const form = new LetterForm(index, () => {
    const cursor = new PhraseCursor(index, ({ place }) => places.push(place))
    return { reader: new EscapeReader(new LetterReader(cursor)), heldFrom: 0 }
  })
  for (const slice of slicesOf(text)) {
    if (!window.hasRoomFor(slice)) window.makeRoom(slice, Math.min(form.keptFrom, window.end))
    window.add(slice)
    form.read(window)
    yield slice.length
  }
  window.finish()
  form.read(window)
  return places
}
