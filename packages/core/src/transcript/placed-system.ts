import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Message, SystemMessage } from '../messages/message.ts'

/**
 * Moves system messages from the beginning of a prompt to their `place`.
 *
 * @param stepsOf The steps of a message, with the model messages they became
 */
export function placeSystem(
  prompt: LanguageModelV4Prompt,
  messages: readonly Message[],
  stepsOf: (message: Message) => readonly { prompt: readonly LanguageModelV4Message[] }[],
): LanguageModelV4Prompt {
  const first = prompt.findIndex(({ role }) => role !== 'system')
  const given = first === -1 ? prompt : prompt.slice(0, first)
  const behind = new Map<string, SystemMessage[]>(messages.map(({ id }) => [id, []]))
  const placed: LanguageModelV4Prompt = []
  for (const message of given) {
    const { place, ...own } = message as SystemMessage
    const others = place && behind.get(place.messageId)
    if (others) others.push(message as SystemMessage)
    else placed.push(place ? own : message)
  }
  for (const message of messages) {
    const own: LanguageModelV4Prompt =
      message.role === 'system' ? [] : stepsOf(message).flatMap((step) => step.prompt)
    // From the last on, so that each place still counts from the first model message.
    for (const { place, ...system } of behind.get(message.id)?.reverse() ?? [])
      own.splice(place?.behind ?? 0, 0, system)
    placed.push(...own)
  }
  return placed
}
