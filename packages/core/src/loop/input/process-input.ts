import { copyData } from '../../copy-data.ts'
import { MillraceError } from '../../errors.ts'
import { type Message, type SystemMessage, systemMessageOf } from '../../messages/message.ts'
import type { Run } from '../../run/run.ts'
import { MessageList } from '../../transcript/message-list.ts'
import type { Returned } from '../ask.ts'
import { hookKit } from '../hooks-on-demand.ts'

/** Calls `processInput` of every processor, in order. Each receives the messages as the previous ones left them. */
export function processInput(run: Run): Promise<void> | undefined {
  const asked = askProcessors(run)
  if (asked) return asked.then(() => checkInput(run))
  checkInput(run)
  return undefined
}

function checkInput(run: Run): void {
  if (run.messageList.length === 0) {
    throw new MillraceError(
      'PROCESSOR_EMPTY_INPUT',
      'There is no message for the model: the input was empty, or the input processors removed all of it. To refuse an input, call abort().',
    )
  }
}

/** As {@link processInput}, for input that may have no message. */
export function askProcessors(run: Run): Promise<undefined> | undefined {
  if (!run.pipeline.processInput) return undefined
  return hookKit().askEach(run, 'processInput', {
    args: () => ({ messages: run.messageList.get(), systemMessages: [...run.state.systemMessages] }),
    compared: () => ({ data: run.state.systemMessages }),
    subject: { key: 'systemMessages' },
    apply: (result) => apply(run, result),
  })
}

function apply(run: Run, result: Returned<'processInput'>): undefined {
  if (result instanceof MessageList) return
  const { messages, systemMessages } = Array.isArray(result) ? { messages: result } : result
  if (systemMessages) run.state.systemMessages = copyData(systemMessages)
  if (messages) setMessages(run, messages)
}

function setMessages(run: Run, messages: readonly Message[]): void {
  const added: SystemMessage[] = []
  const others: Message[] = []
  for (const message of messages) {
    if (message.role === 'system') added.push(systemMessageOf(message))
    else others.push(message)
  }
  if (added.length > 0) run.state.systemMessages = [...run.state.systemMessages, ...copyData(added)]
  run.messageList.set(others)
}
