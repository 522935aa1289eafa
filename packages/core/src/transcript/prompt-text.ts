import type { LanguageModelV4Prompt } from '@ai-sdk/provider'

/** A message of a prompt as text. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  /**
   * Text and reasoning unchanged, each part on its own line. A file is its media type in brackets, a tool call or
   * result its JSON.
   */
  content: string
}

type Part = Exclude<LanguageModelV4Prompt[number], { role: 'system' }>['content'][number]

/** A prompt without the content of its files, to keep it in memory. */
export function withoutFiles(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.map((message) => {
    if (message.role === 'system' || !(message.content as Part[]).some(isFile)) return message
    return { ...message, content: (message.content as Part[]).map(nameFile) } as typeof message
  })
}

export function promptText(prompt: LanguageModelV4Prompt): PromptMessage[] {
  return prompt.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : (content as Part[]).map(textOf).join('\n'),
  }))
}

function isFile(part: Part): part is Extract<Part, { data: unknown }> {
  return 'data' in part
}

function nameFile(part: Part): Part {
  return isFile(part) ? { type: 'text', text: `[${part.mediaType}]` } : part
}

function textOf(part: Part): string {
  return 'text' in part ? part.text : JSON.stringify(part)
}
