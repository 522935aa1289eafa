import { type Processor, requireOptions } from '@millrace/core'
import { identityOf, type MaybePromise, requireMethod } from '../adapter/adapter.ts'
import { messageChanges } from '../adapter/message-changes.ts'
import {
  CONTEXT_ADAPTER_OPTIONS,
  type ContextAdapterOptions,
  contextOf,
  type ModifierContext,
} from '../adapter/modifier-context.ts'
import { linesOf } from '../lines/lines-of-messages.ts'
import { type ChatMessage, chatOf, readChat } from './chat-message.ts'
import { haltIfRequested } from './control-flow.ts'

/** The `MessageModifier` of the older Codebolt: changes the messages before a model call. */
export interface MessageModifier {
  modify(
    messages: ChatMessage[],
    context: ModifierContext,
  ): MaybePromise<ChatMessage[] | ModifiedMessages | undefined>
}

/** The messages, and whether to continue. */
export interface ModifiedMessages {
  messages: ChatMessage[]
  halt?: boolean
  reason?: string
}

/**
 * Runs a `MessageModifier` of the older Codebolt in `processInputStep`, before every call. Its changes apply
 * to this call only: the next call starts from the transcript again. `halt: true` ends the run without an
 * answer, with the reason in `result.halt`.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `modify`
 */
export function messageModifier(modifier: MessageModifier, given: ContextAdapterOptions = {}): Processor {
  const options = requireOptions('messageModifier()', given, CONTEXT_ADAPTER_OPTIONS)
  requireMethod(modifier, ['modify'], 'messageModifier')
  return {
    ...identityOf(options, 'message-modifier'),
    async processInputStep(args) {
      const known = linesOf(args.messages, args.systemMessages)
      const handed = known.map(({ line }) => chatOf(line))
      const messages = [...handed]
      const returned = (await modifier.modify(messages, contextOf(args, options.metrics))) ?? messages
      haltIfRequested(returned, args.halt)
      const modified = Array.isArray(returned) ? returned : returned.messages
      return messageChanges(args, known, readChat(known, handed, modified))
    },
  }
}
