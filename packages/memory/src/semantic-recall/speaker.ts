import type { Message } from '@millrace/core'

/** Metadata may come from anybody: what is no name of one line stands for nobody. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u

/** As transcripts are written: `Ada Byron: I keep bees.` */
const LABEL = /^(\p{L}[\p{L}\p{M}'’. -]{0,39}):\s/u

/** The name of who said a message: `metadata.speaker`, or what its text begins with, before a colon. */
export function speakerOf({ content }: Message, text: string): string | undefined {
  return namedSpeaker(content.metadata?.speaker) ?? LABEL.exec(text)?.[1]
}

/** What `metadata.speaker` says, if that is a name. */
export function namedSpeaker(speaker: unknown): string | undefined {
  return typeof speaker === 'string' && NAME.test(speaker) ? speaker : undefined
}
