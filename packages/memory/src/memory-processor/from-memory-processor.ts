import { type MessageList, type ProcessInputArgs, type Processor, requireOptions } from '@millrace/core'
import { fromLegacy } from './from-legacy.ts'
import { toLegacy } from './legacy-messages.ts'
import type { MemoryProcessor } from './memory-processor.ts'

/**
 * Turns a Mastra `MemoryProcessor` into an input processor. Put it after the processor that loads the
 * history. It receives the remembered messages and decides which of them the model sees. The store is not
 * changed.
 *
 * @param options.id Default: `memory-processor`
 *
 * @example
 * inputProcessors: [new MessageHistoryProcessor({ storage }), fromMemoryProcessor(new MyFilter())]
 */
export function fromMemoryProcessor(
  processor: MemoryProcessor,
  options: { id?: string; onError?: 'fail' | 'skip' } = {},
): Processor {
  const { id = 'memory-processor', onError = 'fail' } = requireOptions('fromMemoryProcessor()', options, {
    id: 'optional',
    onError: 'optional',
  })
  return {
    id,
    onError,
    async processInput({ messageList, systemMessages }: ProcessInputArgs): Promise<void> {
      const remembered = messageList.get('remembered')
      const view = toLegacy(remembered)
      const lines = await processor.process([...view.lines], {
        systemMessage: systemMessages.map(({ content }) => content).join('\n'),
        newMessages: toLegacy(messageList.get('input')).lines,
      })
      const left = fromLegacy(lines, remembered, view)
      const isUnchanged =
        left.length === remembered.length && left.every((message, index) => message === remembered[index])
      if (!isUnchanged) replaceRemembered(messageList, left)
    },
  }
}

/**
 * Replaces the remembered messages by `messages`, at the same position. Messages that are new among them
 * exist for this run only.
 */
function replaceRemembered(messageList: MessageList, messages: ReturnType<typeof fromLegacy>): void {
  for (const message of messages) if (!messageList.has(message.id)) messageList.add(message, 'context')
  const ids = new Set(messages.map(({ id }) => id))
  const isTheirs = (id: string): boolean => ids.has(id) || messageList.originOf(id) === 'remembered'
  const all = messageList.get()
  const first = all.findIndex(({ id }) => isTheirs(id))
  messageList.set([
    ...all.slice(0, first),
    ...messages,
    ...all.slice(first).filter(({ id }) => !isTheirs(id)),
  ])
}
