import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

/** What the rules use of a prompt. */
export interface Dialogue {
  /** The message to answer. */
  question: string
  /** The user's messages before it, oldest first. */
  earlier: string[]
  /** The model's last answer, if any. */
  previousAnswer: string
  instructions: string
  /** Files that are attached to the prompt, and notes about those that are not. */
  files: { path: string; text: string }[]
  notes: string
  /** Whether a shorter answer was requested. */
  brief: boolean
}

/** Parses a prompt. If the last message asks for a shorter answer, the question is the message before it. */
export function dialogueOf(prompt: LanguageModelV4Prompt): Dialogue {
  const all = prompt.filter(({ role }) => role === 'user').map(textOf)
  const said = all.filter((text) => !ATTACHED.test(text))
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
    files: all.flatMap((text) => {
      const [, path, content] = FILE.exec(text) ?? []
      return path === undefined || content === undefined ? [] : [{ path, text: content }]
    }),
    notes: all.flatMap((text) => NOTES.exec(text)?.[1] ?? []).join(' '),
    brief,
  }
}

const ATTACHED = /^<(?:attached-file|attached-folder|context-notes)[ >]/
const FILE = /^<attached-file path="([^"]*)"[^>]*>\n(.*)\n<\/attached-file>$/s
const NOTES = /^<context-notes[^>]*>\n(.*)\n<\/context-notes>$/s

function textOf(message: LanguageModelV4Message | undefined): string {
  if (!message) return ''
  if (message.role === 'system') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
