import { copyData } from '../copy-data.ts'
import { MillraceError } from '../errors.ts'
import { type Message, type SystemMessage, systemMessageOf } from '../messages/message.ts'
import { MessageList } from '../messages/message-list.ts'
import type { Run } from '../run/run.ts'
import type { ProcessInputResult } from './input-hooks.ts'
import { invalidResult } from './result-check.ts'

/** Runs `processInput` of every processor, in order; each sees what the ones before have left. */
export async function processInput(run: Run): Promise<void> {
  if (run.isPast('processInput')) return
  for (const processor of run.stages('processInput')) {
    const gate = run.gate(processor)
    const record = gate.record('processInput', undefined)
    const { messageList, systemMessages } = run
    const result = await gate.call(record, () =>
      processor.processInput({
        ...gate.argsFor(record),
        messages: messageList.get(),
        systemMessages: [...systemMessages],
        messageList,
      }),
    )
    run.throwIfOver()
    if (apply(run, result, processor.id)) record.note('changed')
  }
  if (run.messageList.length === 0) {
    throw new MillraceError(
      'PROCESSOR_EMPTY_INPUT',
      'There is no message for the model: the input was empty, or the input processors removed all of it. To refuse an input, call abort().',
    )
  }
}

function apply(run: Run, result: ProcessInputResult, processorId: string): boolean {
  if (result === undefined || result === null) return false
  if (result === run.messageList) return true
  if (Array.isArray(result)) return setMessages(run, result)
  if (result instanceof MessageList || typeof result !== 'object') {
    throw invalidResult(
      processorId,
      'processInput',
      'another MessageList than the one it was given, or a plain value',
    )
  }
  const { messages, systemMessages } = result
  if (systemMessages) run.systemMessages = copyData(systemMessages)
  return messages ? setMessages(run, messages) || systemMessages !== undefined : systemMessages !== undefined
}

function setMessages(run: Run, messages: readonly Message[]): boolean {
  const added: SystemMessage[] = []
  const others: Message[] = []
  for (const message of messages) {
    if (message.role === 'system') added.push(systemMessageOf(message))
    else others.push(message)
  }
  const before = run.messageList.get()
  if (added.length > 0) run.systemMessages = [...run.systemMessages, ...copyData(added)]
  run.messageList.set(others)
  return (
    added.length > 0 ||
    before.length !== others.length ||
    before.some((message, index) => message !== others[index])
  )
}
