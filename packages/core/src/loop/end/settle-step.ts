import type { Message } from '../../messages/message.ts'
import { isRecord } from '../../record.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'

/**
 * The current step as far as it was emitted, for a run that ends before the step does. If a hook has damaged the
 * message of the answer, invalid parts are removed. Never throws: a step that still cannot be read is left out.
 */
export function settleStep({ current, messageList }: Run): Step | undefined {
  const settle = () => current?.output.settle()
  try {
    return settle()
  } catch {
    // A hook has damaged the message.
  }
  try {
    for (const message of messageList.get('response')) message.content = withoutInvalidParts(message).content
    return settle()
  } catch {
    return undefined
  }
}

/** The message without invalid parts. Returns the same message if all parts are valid. */
export function withoutInvalidParts(message: Message): Message {
  const content: Partial<Message['content']> = isRecord(message.content) ? message.content : {}
  const parts = Array.isArray(content.parts) ? content.parts : []
  const whole = parts.filter(isPart)
  return whole.length === content.parts?.length
    ? message
    : { ...message, content: { ...content, parts: whole } }
}

function isPart(part: unknown): boolean {
  try {
    return (
      isRecord(part) &&
      typeof part.type === 'string' &&
      (part.type !== 'text' || typeof part.text === 'string')
    )
  } catch {
    return false
  }
}
