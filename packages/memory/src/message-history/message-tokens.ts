import { isToolPart, type Message, type MessagePart, toolNameOf } from '@millrace/core'

/** Counts the tokens of a message's text, tool calls and results. Files are not counted. */
export function tokensOf(
  { content }: Message,
  countTokens: (text: string) => number | Promise<number>,
): number | Promise<number> {
  return countTokens(content.parts.map(textOfPart).join('\n'))
}

function textOfPart(part: MessagePart): string {
  if (part.type === 'text' || part.type === 'reasoning') return (part as { text: string }).text
  if (!isToolPart(part)) return ''
  const result = 'output' in part ? part.output : 'errorText' in part ? part.errorText : undefined
  return `${toolNameOf(part)} ${JSON.stringify(part.input)} ${JSON.stringify(result)}`
}
