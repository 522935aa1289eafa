import type { Task } from '../guard/task.ts'
import type { OpenScan } from '../guard/text-scanner.ts'
import type { Detection } from '../scanner/recognizer.ts'
import type { ScanSink } from '../scanner/scan-sink.ts'
import { slicesOf } from '../slices.ts'
import { Base64Reader } from './base64-reader.ts'
import { EscapeReader } from './escape-reader.ts'
import type { FormReader } from './form-reader.ts'
import { LetterReader } from './letter-reader.ts'
import { MorseReader } from './morse-reader.ts'
import { NumberForms } from './number-forms.ts'
import { PhraseCursor } from './phrase-cursor.ts'
import type { PhraseIndex } from './phrase-index.ts'
import { PlainReading } from './plain-reading.ts'

/** A text that must not leak. */
export interface Secret {
  readonly type: string
  readonly index: PhraseIndex
  /** Positions in the index whose words may be said. */
  readonly allowed: ReadonlySet<number>
}

interface Leak {
  readonly start: number
  readonly end: number
  readonly type: string
  readonly recognizer: string
}

type Writable<T> = { -readonly [KEY in keyof T]: T[KEY] }

/** Scans one text for secrets in all encodings at once. */
export class LeakScan implements OpenScan {
  readonly #sink: ScanSink
  readonly #readers: readonly FormReader[]
  /** The readers of the unencoded letters of the text. */
  readonly #readings: readonly { readonly heldFrom: number }[]
  /** Text that is not emitted. It begins at `#out` in the text. */
  #buffer = ''
  #out = 0
  /** The position up to which the text has been read. */
  #read = 0
  /** Leaks that are found and not emitted, in order. */
  #leaks: Leak[] = []
  #open: Writable<Detection> | undefined

  constructor(secrets: readonly Secret[], sink: ScanSink) {
    this.#sink = sink
    const cursor = ({ type, index, allowed }: Secret, form: string): PhraseCursor =>
      new PhraseCursor(index, ({ start, end, place }) => {
        if (!allowed.has(place)) this.#add({ start, end, type, recognizer: form })
      })
    const plain = secrets.map((secret) => new PlainReading(() => cursor(secret, 'plain')))
    const rotated = secrets.map((secret) => cursor(secret, 'rot13'))
    this.#readings = [...plain, ...rotated]
    const letters = new LetterReader({
      letter(letter, start, end, afterGap) {
        for (const each of plain) each.letter(letter, start, end, afterGap)
        const other = rot13(letter)
        for (const each of rotated) each.letter(other, start, end, afterGap)
      },
      sign(letter, start, end, afterGap) {
        for (const each of plain) each.sign(letter, start, end, afterGap)
      },
      gap() {
        for (const each of plain) each.gap()
        for (const each of rotated) each.gap()
      },
    })
    this.#readers = [
      new EscapeReader(letters),
      ...secrets.flatMap((secret): FormReader[] => [
        new Base64Reader(() => cursor(secret, 'base64')),
        new NumberForms((form) => cursor(secret, form)),
        new MorseReader(cursor(secret, 'morse')),
      ]),
    ]
  }

  push(piece: string): void {
    this.#buffer += piece
    this.#readUp(false)
    this.#emit(this.#heldFrom)
  }

  end(): void {
    this.#readUp(true)
    for (const each of this.#readers) each.end()
    this.#emit(this.#read)
  }

  #readUp(final: boolean): void {
    const from = this.#out
    const length = this.#buffer.length
    for (let place = this.#read - from; place < length; ) {
      const codePoint = this.#buffer.codePointAt(place) as number
      if (!final && place + 1 === length && (codePoint & 0x1ffc00) === 0xd800) break
      const start = from + place
      place += codePoint > 0xffff ? 2 : 1
      this.#read = from + place
      for (const each of this.#readers) each.read(codePoint, start, this.#read)
    }
  }

  get #heldFrom(): number {
    let held = this.#read
    for (const { heldFrom } of this.#readers) if (heldFrom < held) held = heldFrom
    for (const { heldFrom } of this.#readings) if (heldFrom < held) held = heldFrom
    return held
  }

  /** Sorted by start; leaks with the same start stay in the order in which they were found. */
  #add(leak: Leak): void {
    const leaks = this.#leaks
    let index = leaks.length
    while (index > 0 && (leaks[index - 1] as Leak).start > leak.start) index--
    leaks.splice(index, 0, leak)
  }

  /** Emits the text before `safe`, and the leaks that begin before it. */
  #emit(safe: number): void {
    let taken = 0
    for (const leak of this.#leaks) {
      if (this.#open && leak.start <= this.#open.end) {
        taken++
        if (leak.end > this.#open.end) this.#cover(this.#open, leak.end)
        continue
      }
      if (leak.start >= safe) break
      taken++
      this.#text(leak.start)
      const { start, end, type, recognizer } = leak
      this.#open = { type, start, end, score: 1, recognizer }
      const value = this.#buffer.slice(start - this.#out, end - this.#out)
      this.#sink.match(this.#open, value, { continues: false, open: true })
      this.#cover(this.#open, end)
    }
    if (taken > 0) this.#leaks.splice(0, taken)
    this.#text(safe)
  }

  #text(end: number): void {
    const piece = this.#take(end)
    if (piece !== '') this.#sink.text(piece)
  }

  #cover(open: Writable<Detection>, end: number): void {
    open.end = end
    const piece = this.#take(end)
    if (piece !== '') this.#sink.covered(piece)
  }

  #take(end: number): string {
    const length = end - this.#out
    if (length <= 0) return ''
    const piece = this.#buffer.slice(0, length)
    this.#buffer = this.#buffer.slice(length)
    this.#out = end
    return piece
  }
}

/** Rotates a letter from a to z by 13. */
function rot13(letter: number): number {
  return letter >= 0x61 && letter <= 0x7a ? ((letter - 0x61 + 13) % 26) + 0x61 : letter
}

/** The positions in an index whose words occur in an unencoded text. */
export function* placesIn(text: string, index: PhraseIndex): Task<number[]> {
  const places: number[] = []
  const reader = new EscapeReader(
    new LetterReader(new PhraseCursor(index, ({ place }) => places.push(place))),
  )
  let start = 0
  for (const slice of slicesOf(text)) {
    for (const character of slice) {
      reader.read(character.codePointAt(0) as number, start, start + character.length)
      start += character.length
    }
    yield slice.length
  }
  reader.end()
  return places
}
