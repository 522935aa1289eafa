import { type ProcessInputArgs, type Processor, textOfParts } from '@millrace/core'

const OVERRIDES: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|rules|guidelines|prompt)\b/i,
  /\b(?:print|reveal|repeat|show)\b.{0,40}\b(?:system prompt|your instructions)\b/i,
]

/** Blocks a turn whose message tries to talk the model out of its instructions. */
export class OverrideGuard implements Processor<'override-guard'> {
  readonly id = 'override-guard'

  processInput({ messages, abort }: ProcessInputArgs): void {
    const text = textOfParts(messages.findLast(({ role }) => role === 'user')?.content.parts ?? [])
    if (OVERRIDES.some((pattern) => pattern.test(text)))
      abort('The message tries to override the instructions.')
  }
}
