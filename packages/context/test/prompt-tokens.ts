import type { LanguageModelV4 } from '@millrace/core'
import { countTokens } from '@millrace/tokens'

type CallOptions = Parameters<LanguageModelV4['doStream']>[0]

const known = new Map<string, number>()

/** Tokens of a whole call as a provider gets it, by the tokenizer of gpt-5: every text, every call and result, every definition. */
export async function tokensOfCall({ prompt, tools = [] }: CallOptions): Promise<number> {
  let total = 3
  for (const message of prompt) total += 4 + (await tokensOfText(textOf(message)))
  for (const tool of tools) total += 8 + (await tokensOfText(JSON.stringify(tool)))
  return total
}

function textOf({ content }: CallOptions['prompt'][number]): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => {
      if ('text' in part) return part.text
      if (part.type === 'tool-call') return `${part.toolName} ${JSON.stringify(part.input)}`
      if (part.type === 'tool-result') return `${part.toolName} ${outputText(part.output)}`
      return ''
    })
    .join('\n')
}

function outputText(output: { type: string; value?: unknown }): string {
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value ?? '')
}

async function tokensOfText(text: string): Promise<number> {
  const tokens = known.get(text) ?? (await countTokens(text, { model: 'gpt-5' }))
  known.set(text, tokens)
  return tokens
}
