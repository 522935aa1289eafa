import type { MessageList, ProcessInputArgs, Processor } from '@millrace/core'
import { fromLegacy } from './from-legacy.ts'
import { toLegacy } from './legacy-messages.ts'
import type { MemoryProcessor } from './memory-processor.ts'

/**
 * A Mastra `MemoryProcessor` as an input processor, to stand behind what loads history. It gets what is remembered and
 * decides what the model sees of it; the store keeps everything.
 *
 * @param options.id Default: `memory-processor`
 *
 * @example
 * inputProcessors: [new MessageHistoryProcessor({ storage }), fromMemoryProcessor(new MyFilter())]
 */
export function fromMemoryProcessor(
  processor: MemoryProcessor,
  { id = 'memory-processor', onError = 'fail' }: { id?: string; onError?: 'fail' | 'skip' } = {},
): Processor {
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
      if (!isUnchanged) putInPlace(messageList, left)
    },
  }
}

/** Makes `messages` what is remembered, where that was. What is new among them is for this run alone. */
function putInPlace(messageList: MessageList, messages: ReturnType<typeof fromLegacy>): void {
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
