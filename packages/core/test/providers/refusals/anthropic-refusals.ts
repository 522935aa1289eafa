import type { Refusal, Refuse } from './refusal.ts'

/** What of the Messages API's request the rules are about: https://platform.claude.com/docs/en/api/messages */
interface AnthropicBody {
  model: string
  system?: string | { type: string; text: string }[]
  messages: { role: 'user' | 'assistant'; content: string | Block[] }[]
}

interface Block {
  type: string
  text?: string
  id?: string
  tool_use_id?: string
  signature?: string
  source?: { media_type?: string }
  content?: unknown
}

/** Signatures that this server has made begin so. */
export const OWN_SIGNATURE = 'claude:'

/** As Anthropic refuses: `{ type: 'error', error: { type: 'invalid_request_error', message } }` with the status 400. */
export const refuseAnthropic: Refuse<AnthropicBody> = ({ model, system, messages }) => {
  if (Array.isArray(system) && system.some(({ text }) => text === ''))
    return refuse('system: text content blocks must be non-empty')
  if (messages.length === 0) return refuse('messages: at least one message is required')
  if (messages[0]?.role !== 'user') return refuse('messages: first message must use the "user" role')
  const ids = new Set<string>()
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content)
    if (blocks.length === 0)
      return refuse(
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      )
    for (const [place, block] of blocks.entries()) {
      const at = `messages.${index}.content.${place}`
      if (block.type === 'text' && block.text === '')
        return refuse('messages: text content blocks must be non-empty')
      if (block.type === 'text' && !/\S/.test(block.text ?? ''))
        return refuse('messages: text content blocks must contain non-whitespace text')
      if (block.type === 'thinking' && !block.signature?.startsWith(OWN_SIGNATURE))
        return refuse(`${at}: Invalid \`signature\` in \`thinking\` block`)
      if (block.type === 'image' && block.source?.media_type && !IMAGES.includes(block.source.media_type))
        return refuse(
          `${at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
        )
      if (block.type === 'tool_use') {
        if (!/^[a-zA-Z0-9_-]+$/.test(block.id ?? ''))
          return refuse(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
        if (ids.has(block.id as string)) return refuse(`${at}: \`tool_use\` ids must be unique`)
        ids.add(block.id as string)
      }
    }
    if (role === 'assistant' && blocks.at(-1)?.type === 'thinking')
      return refuse(`messages.${index}: The final block in an assistant message cannot be \`thinking\`.`)
    const unpaired = refuseUnpaired(messages, index)
    if (unpaired) return unpaired
  }
  if (messages.at(-1)?.role === 'assistant' && !/-4-5|-3-/.test(model))
    return refuse(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
  return undefined
}

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

function refuseUnpaired(messages: AnthropicBody['messages'], index: number): Refusal | undefined {
  const of = (at: number, type: string, key: 'id' | 'tool_use_id'): string[] =>
    blocksOf(messages[at]?.content ?? []).flatMap((block) =>
      block.type === type ? [String(block[key])] : [],
    )
  const calls = of(index, 'tool_use', 'id')
  const results = of(index + 1, 'tool_result', 'tool_use_id')
  const open = calls.filter((id) => !results.includes(id))
  if (open.length > 0)
    return refuse(
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    )
  const before = of(index - 1, 'tool_use', 'id')
  const unknown = of(index, 'tool_result', 'tool_use_id').find((id) => !before.includes(id))
  if (unknown !== undefined)
    return refuse(
      `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unknown}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    )
  return undefined
}

function blocksOf(content: string | Block[]): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function refuse(message: string): Refusal {
  return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } }
}
