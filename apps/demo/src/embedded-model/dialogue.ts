import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

/** What the rules see of a prompt. */
export interface Dialogue {
  /** The message to answer. */
  question: string
  /** The user's messages before it, oldest first. */
  earlier: string[]
  /** The model's last answer, if any. */
  previousAnswer: string
  instructions: string
  /** A shorter answer was asked for. */
  brief: boolean
}

/** Reads a prompt. A last message that asks for a shorter answer is about the message before it. */
export function dialogueOf(prompt: LanguageModelV4Prompt): Dialogue {
  const said = prompt.filter(({ role }) => role === 'user').map(textOf)
  const brief = said.length > 1 && /\banswer again\b|\bshorter\b/i.test(said.at(-1) ?? '')
  if (brief) said.pop()
  return {
    question: said.at(-1) ?? '',
    earlier: said.slice(0, -1),
    previousAnswer: textOf(prompt.findLast(({ role }) => role === 'assistant')),
    instructions: prompt
      .filter(({ role }) => role === 'system')
      .map(textOf)
      .join('\n'),
    brief,
  }
}

function textOf(message: LanguageModelV4Message | undefined): string {
  if (!message) return ''
  if (message.role === 'system') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
