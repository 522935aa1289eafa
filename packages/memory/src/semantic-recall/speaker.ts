import type { Message } from '@millrace/core'

/** Metadata may come from anybody: what is no name of one line stands for nobody. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u

/** As transcripts are written: `Ada Byron: I keep bees.` */
const LABEL = /^(\p{L}[\p{L}\p{M}'’. -]{0,39}):\s/u

/** In code units, with the colon and the space. */
const LONGEST_LABEL = 82

/** The name of who said a message: `metadata.speaker`, or what its text begins with, before a colon. */
export function speakerOf({ content }: Message, text: string): string | undefined {
  return namedSpeaker(content.metadata?.speaker) ?? labelOf(text)
}

function labelOf(text: string): string | undefined {
  const beginning = text.slice(0, LONGEST_LABEL)
  return beginning.includes(':') ? LABEL.exec(beginning)?.[1] : undefined
}

/** What `metadata.speaker` says, if that is a name. */
export function namedSpeaker(speaker: unknown): string | undefined {
  return typeof speaker === 'string' && NAME.test(speaker) ? speaker : undefined
}
