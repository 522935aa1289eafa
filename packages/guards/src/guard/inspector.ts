import type { ValuePlace } from './message-text.ts'
import type { Task } from './task.ts'
import type { TextEdits } from './text-edits.ts'
import type { Place } from './treatment.ts'

/** Something said beside prose: a text, or JSON with texts in it. */
export interface Said extends ValuePlace {
  readonly value: unknown
}

/** The end of the text that the same role said before. */
export interface Before {
  readonly text: string
  /** Leaves out of that text what begins at a place of `text` and reaches to its end. */
  cut(from: number): void
}

export interface TextsOptions {
  /** Whether they are JSON together. */
  readonly json: boolean
  /** Each is also looked at alone, as a reader may show it. */
  readonly alone: boolean
  /** What was said before, if any of it may continue here. */
  readonly before: Before | undefined
}

export interface InspectedTexts {
  readonly left: readonly string[]
  /** How much at the end may be the beginning of something, that of texts before included, in UTF-16 units. */
  readonly open: number
}

export interface OpenText {
  /** Takes the next piece. What is decided by it is in the edits when this returns, or resolves. */
  push(piece: string): PromiseLike<void> | undefined
  /** What follows is another part of the text. Its parts are one text, but one may end where another begins. */
  nextPart?(): void
  /** The text ends here: all of it is decided when this returns, or resolves. */
  end(): PromiseLike<void> | undefined
}

export interface OpenOptions {
  /** Whether it is JSON; `undefined` where only its beginning can tell. */
  readonly json: boolean | undefined
  readonly before: Before | undefined
  /** Ends when the step is over or taken back. */
  readonly until: AbortSignal
}

/**
 * What a guard looks for, and how. A {@link SurfaceRun} brings it everything that is said in a run; it treats what it finds,
 * by its {@link Treatment}.
 */
export interface Inspector {
  /** How much of a text may be the beginning of something that continues in the next, in UTF-16 units. */
  readonly reach: number
  /** Texts that are one, such as the text parts of a message, as they are left. */
  texts(texts: readonly string[], place: Place, options: TextsOptions): Task<InspectedTexts>
  /** The same where only what begins in the text before is yet to be looked for. */
  seam(before: Before, texts: readonly string[], place: Place): Task<InspectedTexts>
  /** What a part says besides, as it is left. */
  values(said: readonly Said[], place: Place): Task<readonly unknown[]>
  /** Begins a text that arrives in pieces; `undefined` where such a text is only looked at as a whole, later. */
  open(place: Place, options: OpenOptions, edits: TextEdits): OpenText | undefined
  /** For one that waits for answers: asks about all of this at the same time, so that it knows what will be asked for next. */
  ahead?(requests: readonly InspectionRequest[]): Task<void>
  /** A step is over. */
  finishStep?(): void
}

/** Something that is about to be inspected. */
export type InspectionRequest = { readonly place: Place } & (
  | { readonly texts: readonly string[]; readonly options: TextsOptions; readonly said?: undefined }
  | { readonly said: readonly Said[]; readonly texts?: undefined }
)
