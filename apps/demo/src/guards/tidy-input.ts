import type { Message, MessageList, ProcessInputArgs, Processor } from '@millrace/core'

/**
 * Normalises what the user typed: Unicode NFKC, no invisible characters, single spaces. Goes first, so that the guards
 * after it see the text as the model will. Edits in place: the conversation keeps the tidy text.
 */
export class TidyInput implements Processor<'tidy-input'> {
  readonly id = 'tidy-input'

  processInput({ messages, messageList }: ProcessInputArgs): MessageList | undefined {
    const edited = messages.filter(({ role }) => role === 'user').map(tidyMessage)
    return edited.includes(true) ? messageList : undefined
  }
}

/** Returns whether anything was to be tidied. */
function tidyMessage({ content }: Message): boolean {
  let changed = false
  for (const part of content.parts) {
    if (part.type !== 'text') continue
    const text = tidy(part.text)
    changed ||= text !== part.text
    part.text = text
  }
  return changed
}

function tidy(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
