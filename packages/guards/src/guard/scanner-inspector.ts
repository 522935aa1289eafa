import type { Detection } from '../scanner/recognizer.ts'
import type { MatchKind } from '../scanner/scan-sink.ts'
import { EditedText, type Replacement } from './edited-text.ts'
import type {
  ContentValue,
  InspectedTexts,
  Inspector,
  OpenOptions,
  OpenText,
  PrecedingText,
  TextsOptions,
} from './inspector.ts'
import { listsIn, rewriteTexts, textsIn } from './json-value.ts'
import { SURFACE_NAMES, type Surface } from './options.ts'
import { PartedText } from './parted-text.ts'
import { type SeamMatch, SeamScan, type SeamScanOptions } from './seam-scan.ts'
import { SeamedText } from './seamed-text.ts'
import { SLICE, type Task } from './task.ts'
import { type Edit, editTexts, overlaps, type TextEdits } from './text-edits.ts'
import type { OpenScan, TextScanner } from './text-scanner.ts'
import type { Found, Place, Treatment } from './treatment.ts'

/** The maximum length of a match that continues in the next text, in UTF-16 units, if the scanner sets none. */
const DEFAULT_REACH = 1_000

/** Findings copied before other work gets a turn of the event loop. */
const COPIED_AT_ONCE = 1_024

/** An edit, with the findings it was made for. */
interface FoundEdit extends Edit {
  readonly found: readonly Detection[]
}

export interface ScannerInspectorOptions {
  readonly scanner: TextScanner
  readonly treatment: Treatment
  readonly replacement: Replacement
  /** The kind of finding, for the reason of an abort. */
  readonly label: string
  /** How matches over the boundary of two texts are found. */
  readonly seams?: SeamScanOptions
}

/** Finds what a scanner finds. */
export class ScannerInspector implements Inspector {
  readonly reach: number
  readonly #scanner: TextScanner
  readonly #treatment: Treatment
  readonly #replacement: Replacement
  readonly #label: string
  readonly #seams: SeamScanOptions | undefined

  constructor({ scanner, treatment, replacement, label, seams }: ScannerInspectorOptions) {
    this.#scanner = scanner
    this.#treatment = treatment
    // A replacement function may store the value, so it is not called if nothing is changed.
    this.#replacement = treatment.changes ? replacement : () => ''
    this.#label = label
    this.#seams = seams
    this.reach = scanner.maxLength ?? DEFAULT_REACH
  }

  *texts(
    texts: readonly string[],
    place: Place,
    { json, alone, before }: TextsOptions,
  ): Task<InspectedTexts> {
    const joined = yield* this.#scan(texts.join(''), { json })
    const edits = alone && texts.length > 1 && !json ? yield* this.#alone(texts, joined.edits) : joined.edits
    const treated = yield* this.#treat(texts, edits, place)
    const { open } = joined
    if (!before) return { treated, open }
    const known = treated === texts ? edits : []
    const seamed = yield* this.#seam(before, treated, { place, known })
    return { treated: seamed.treated, open: Math.max(open, seamed.open) }
  }

  *seam(before: PrecedingText, texts: readonly string[], place: Place): Task<InspectedTexts> {
    return yield* this.#seam(before, texts, { place, known: [] })
  }

  *values(content: readonly ContentValue[], place: Place): Task<readonly unknown[]> {
    const treated: unknown[] = []
    for (const { value, kind } of content) treated.push(yield* this.#value(value, place, kind !== 'provider'))
    return treated
  }

  open(place: Place, { json, before }: OpenOptions, edits: TextEdits): OpenText {
    const unreported: Detection[] = []
    const onMatch = (detection: Detection, { open }: MatchKind): void => {
      place.found = true
      if (open && !this.#ends(place)) unreported.push(detection)
      else this.#treatment.settle(this.#found([{ ...detection }], place), place)
    }
    const own = (target: TextEdits, match: typeof onMatch): EditedText =>
      new EditedText({ scanner: this.#scanner, json, replacement: this.#replacement, onMatch: match }, target)
    const seam = before && new SeamScan(this.#scanner, before.text, this.#seams)
    const joined = (target: TextEdits, match: typeof onMatch): OpenScan =>
      seam?.isOpen
        ? new SeamedText({
            seam,
            edits: target,
            own,
            onMatch: match,
            onSeam: (found) => this.#settleSeam(found, before, place),
          })
        : own(target, match)
    // The parts of a JSON text are not JSON by themselves.
    const parted = json ? undefined : new PartedText({ joined, alone: own, edits, onMatch })
    const text = parted ?? joined(edits, onMatch)
    return {
      push(piece) {
        text.push(piece)
        return undefined
      },
      nextPart: () => parted?.nextPart(),
      end: () => {
        text.end()
        if (unreported.length > 0) this.#settleAll(unreported, place)
        return undefined
      },
    }
  }

  *#value(value: unknown, place: Place, numbers: boolean): Task<unknown> {
    const texts = textsIn(value, { numbers })
    if (texts.length === 0) return value
    const scanned: (readonly FoundEdit[])[] = []
    for (const { text, name } of texts) scanned.push((yield* this.#scan(text, { json: false, name })).edits)
    let isChanged = false
    const treated = texts.map(({ text }) => text)
    for (const items of listsIn(texts)) {
      const own = items.map((item) => treated[item] as string)
      const joined = yield* this.#scan(own.join(''), { json: false, name: texts[items[0] as number]?.name })
      const over = joined.edits.filter((edit) => !isWithinOne(own, edit))
      if (over.length === 0) continue
      const rest = shifted(
        own,
        items.map((item) => scanned[item] ?? []),
      ).filter((edit) => !overlaps(over, edit))
      const edited = yield* this.#treat(own, inOrder([...rest, ...over]), place)
      for (const [index, item] of items.entries()) {
        treated[item] = edited[index] as string
        scanned[item] = []
      }
      isChanged ||= edited !== own
    }
    for (const [index, edits] of scanned.entries()) {
      if (edits.length === 0) continue
      const own = [treated[index] as string]
      const edited = yield* this.#treat(own, edits, place)
      treated[index] = edited[0] as string
      isChanged ||= edited !== own
    }
    return isChanged ? rewriteTexts(value, treated, { numbers }) : value
  }

  /** Scans a whole text. Returns the edits, and where the undecided end begins. */
  *#scan(text: string, { json, name }: { json: boolean; name?: string | undefined }): Task<Scanned> {
    const edits: (FoundEdit & { end: number; found: Detection[] })[] = []
    let place = 0
    const target: TextEdits = {
      pass(units) {
        place += units
      },
      insert(insert) {
        edits.push({ start: place, end: place, insert, found: matched.splice(0) })
      },
      skip(units) {
        place += units
        const last = edits.at(-1)
        if (last) last.end = place
      },
    }
    const matched: Detection[] = []
    const onMatch = (detection: Detection, { continues }: MatchKind): void => {
      if (continues) edits.at(-1)?.found.push(detection)
      else matched.push(detection)
    }
    const options = { scanner: this.#scanner, json, name, replacement: this.#replacement, onMatch }
    const scan = new EditedText(options, target)
    if (text.length <= SLICE) {
      scan.push(text)
      yield text.length
    } else {
      for (let start = 0; start < text.length; start += SLICE) {
        scan.push(text.slice(start, start + SLICE))
        yield SLICE
      }
    }
    const decided = place
    scan.end()
    return { edits, open: text.length - decided }
  }

  /** Adds matches of the single texts that do not overlap a match of the joined text. */
  *#alone(texts: readonly string[], joined: readonly FoundEdit[]): Task<readonly FoundEdit[]> {
    const own: (readonly FoundEdit[])[] = []
    for (const text of texts) own.push((yield* this.#scan(text, { json: false })).edits)
    const others = shifted(texts, own).filter((edit) => !overlaps(joined, edit))
    return others.length === 0 ? joined : inOrder([...joined, ...others])
  }

  *#seam(
    before: PrecedingText,
    texts: readonly string[],
    { place, known }: { place: Place; known: readonly Edit[] },
  ): Task<InspectedTexts> {
    const scan = new SeamScan(this.#scanner, before.text, this.#seams)
    if (!scan.isOpen) return { treated: texts, open: 0 }
    for (const text of texts) scan.push(text)
    const undecided = scan.end()
    yield before.text.length
    const { match } = scan
    if (!match || overlaps(known, { ...match, insert: '' }))
      return { treated: texts, open: match ? 0 : undecided }
    const insert = this.#settleSeam(match, before, place)
    if (!this.#treatment.rewrites(place)) return { treated: texts, open: 0 }
    return { treated: editTexts(texts, [{ start: match.start, end: match.end, insert }]), open: 0 }
  }

  /** Treats a match over the boundary of two texts. Returns its replacement. */
  #settleSeam(match: SeamMatch, before: PrecedingText | undefined, place: Place): string {
    this.#settleAll(match.detections, place)
    const { detection, value } = match.first
    if (!this.#treatment.rewrites(place)) return ''
    if (before && match.from < before.text.length) before.truncate(match.from)
    return this.#replacement(detection, value)
  }

  *#treat(texts: readonly string[], edits: readonly FoundEdit[], place: Place): Task<readonly string[]> {
    if (edits.length === 0) return texts
    const found: Detection[] = []
    for (const [index, edit] of edits.entries()) {
      for (const detection of edit.found) found.push({ ...detection })
      if (index % COPIED_AT_ONCE === COPIED_AT_ONCE - 1) yield SLICE
    }
    this.#treatment.settle(this.#found(found, place), place)
    return this.#treatment.rewrites(place) ? editTexts(texts, edits) : texts
  }

  #settleAll(found: readonly Detection[], place: Place): void {
    const copies = found.map((detection) => ({ ...detection }))
    this.#treatment.settle(this.#found(copies, place), place)
  }

  #ends({ control }: Place): boolean {
    return control !== undefined && this.#treatment.endsRuns
  }

  #found(found: readonly Detection[], { surface }: Place): Found {
    const types = [...new Set(found.map(({ type }) => type))].join(', ')
    return {
      findings: found,
      reason: `${this.#label} found in ${SURFACE_NAMES[surface as Surface]}: ${types}.`,
      metadata: { surface, detections: found },
    }
  }
}

interface Scanned {
  readonly edits: readonly FoundEdit[]
  /** How many units were undecided when the end of the text was reached. */
  readonly open: number
}

/** Converts edits of single texts into edits of the joined text. */
function shifted(texts: readonly string[], edits: readonly (readonly FoundEdit[])[]): FoundEdit[] {
  let offset = 0
  return texts.flatMap((text, index) => {
    const by = offset
    offset += text.length
    return (edits[index] ?? []).map(({ start, end, insert, found }) => ({
      start: start + by,
      end: end + by,
      insert,
      found: found.map((detection) => ({
        ...detection,
        start: detection.start + by,
        end: detection.end + by,
      })),
    }))
  })
}

function inOrder(edits: FoundEdit[]): FoundEdit[] {
  return edits.sort((one, other) => one.start - other.start)
}

function isWithinOne(texts: readonly string[], { start, end }: Edit): boolean {
  let offset = 0
  for (const { length } of texts) {
    if (start < offset + length) return end <= offset + length
    offset += length
  }
  return true
}
