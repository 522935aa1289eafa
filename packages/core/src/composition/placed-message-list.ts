import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { SystemMessage } from '../messages/message.ts'
import { MessageList } from '../transcript/message-list.ts'

/** A transcript whose system messages stand at their `place` in the prompt. */
export class PlacedMessageList extends MessageList {
  override async toPrompt(
    options: Parameters<MessageList['toPrompt']>[0] = {},
  ): Promise<LanguageModelV4Prompt> {
    const { systemMessages = [], messages = this.get(), ...rest } = options
    if (systemMessages.every(({ place }) => place === undefined)) return super.toPrompt(options)
    const behind = new Map<string, SystemMessage[]>(messages.map(({ id }) => [id, []]))
    const first: SystemMessage[] = []
    for (const message of systemMessages) {
      const { place, ...own } = message
      const placed = place && behind.get(place.messageId)
      if (placed) placed.push(message)
      else first.push(own)
    }
    const system = messages.filter(({ role }) => role === 'system')
    const prompt = await super.toPrompt({ systemMessages: first, messages: system })
    for (const message of messages) {
      if (message.role === 'system') continue
      const own = await super.toPrompt({ ...rest, messages: [message] })
      // From the last on, so that each place still counts from the first model message.
      for (const { place, ...each } of behind.get(message.id)?.reverse() ?? [])
        own.splice(place?.behind ?? 0, 0, each)
      prompt.push(...own)
    }
    return prompt
  }
}
