import type { Message } from '@millrace/core'

/** Metadata is not trusted: a value that is not a name on one line is ignored. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u

/** The speaker label of a transcript line: `Ada Byron: I keep bees.` */
const LABEL = /^(\p{L}[\p{L}\p{M}'’. -]{0,39}):\s/u

/** Maximum length in UTF-16 code units, with the colon and the space. */
const MAX_LABEL_LENGTH = 82

/** The speaker of a message: `metadata.speaker`, or the label at the beginning of its text. */
export function speakerOf({ content }: Message, text: string): string | undefined {
  return namedSpeaker(content.metadata?.speaker) ?? labelOf(text)
}

function labelOf(text: string): string | undefined {
  const beginning = text.slice(0, MAX_LABEL_LENGTH)
  return beginning.includes(':') ? LABEL.exec(beginning)?.[1] : undefined
}

/** The value of `metadata.speaker`, if it is a valid name. */
export function namedSpeaker(speaker: unknown): string | undefined {
  return typeof speaker === 'string' && NAME.test(speaker) ? speaker : undefined
}
