import type { Refusal, Refuse } from './refusal.ts'

/** What of a chat completion's request the rules are about: https://platform.openai.com/docs/api-reference/chat */
interface ChatBody {
  model: string
  messages: ChatMessage[]
}

interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  content: string | null | { type: string; text?: string }[]
  tool_calls?: { id: string }[]
  tool_call_id?: string
  prefix?: boolean
  reasoning?: string
}

/** As OpenAI refuses: `{ error: { message, type, param, code } }` with the status 400. */
export const refuseOpenAIChat: Refuse<ChatBody> = ({ model, messages }) => {
  if (messages.length === 0)
    return openai(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    )
  const images = messages.findIndex((message) => hasPart(message, 'image_url'))
  if (images !== -1 && model.startsWith('gpt-3.5'))
    return openai(
      'Invalid content type. image_url is only supported by certain models.',
      `messages.[${images}].content.[1].type`,
    )
  return refuseUnpaired(messages)
}

function refuseUnpaired(messages: ChatMessage[]): Refusal | undefined {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as ChatMessage
    if (message.role === 'tool')
      return openai(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        `messages.[${index}].role`,
      )
    const calls = message.tool_calls?.map(({ id }) => id) ?? []
    const long = calls.find((id) => id.length > 64)
    if (long !== undefined)
      return openai(
        `Invalid 'messages[${index}].tool_calls[0].id': string too long. Expected a string with maximum length 64, but got a string with length ${long.length} instead.`,
      )
    const open = new Set(calls)
    while (calls.length > 0 && messages[index + 1]?.role === 'tool') {
      index++
      if (!open.delete(messages[index]?.tool_call_id ?? ''))
        return openai(
          `Invalid parameter: 'tool_call_id' of '${messages[index]?.tool_call_id}' not found in 'tool_calls' of previous message.`,
        )
    }
    if (open.size > 0)
      return openai(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      )
  }
  return undefined
}

/** As Mistral refuses: `{ object: 'error', message, type, param, code }`. */
export const refuseMistral: Refuse<ChatBody> = ({ model, messages }) => {
  let before: ChatMessage | undefined
  for (const message of messages) {
    const { role, content, tool_calls = [] } = message
    if (model.startsWith('codestral') && hasPart(message, 'image_url'))
      return mistral('Image input is not enabled for this model', 'invalid_request_error', '3051')
    if (role === 'user' && before?.role === 'tool')
      return mistral("Unexpected role 'user' after role 'tool'", 'invalid_request_message_order', '3230')
    if (role === 'assistant' && tool_calls.length === 0 && (content === '' || content?.length === 0))
      return mistral(
        'Assistant message must have either content or tool_calls, but not none.',
        'invalid_request_assistant_message',
        '3240',
      )
    for (const { id } of tool_calls)
      if (!/^[a-zA-Z0-9]{9}$/.test(id))
        return mistral(
          `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
          'invalid_function_call',
          '3280',
        )
    if (role !== 'system') before = message
  }
  if (refuseUnpaired(messages))
    return mistral(
      'Not the same number of function calls and responses',
      'invalid_request_message_order',
      '3230',
    )
  if (before?.role === 'assistant' && before.prefix !== true)
    return mistral(
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      'invalid_request_message_order',
      '3230',
    )
  return undefined
}

/** As DeepSeek refuses, in OpenAI's form. */
export const refuseDeepSeek: Refuse<ChatBody> = ({ model, messages }) => {
  for (const [index, message] of messages.entries()) {
    if (!model.includes('vision') && hasPart(message, 'image_url'))
      return deepseek(
        `Failed to deserialize the JSON body into the target type: messages[${index}]: unknown variant \`image_url\`, expected \`text\` at line 1 column 177`,
      )
    const next = messages[index + 1]
    if (model === 'deepseek-reasoner' && message.role === next?.role && message.role !== 'tool')
      return deepseek(
        `deepseek-reasoner does not support successive user or assistant messages (messages[${index}] and messages[${index + 1}] in your input). You should interleave the user/assistant messages in the message sequence.`,
      )
  }
  return refuseUnpaired(messages)
}

/** As Groq refuses. */
export const refuseGroq: Refuse<ChatBody> = ({ model, messages }) => {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant' && message.reasoning !== undefined && model.includes('kimi'))
      return {
        status: 400,
        body: {
          error: {
            message: `messages[${index}].reasoning: reasoning is not supported with this model`,
            type: 'invalid_request_error',
          },
        },
      }
    if (!model.includes('llama-4') && hasPart(message, 'image_url'))
      return {
        status: 400,
        body: {
          error: { message: `messages[${index}].content must be a string`, type: 'invalid_request_error' },
        },
      }
  }
  return refuseUnpaired(messages)
}

/** As servers refuse whose chat template demands turns, such as vLLM and Perplexity. */
export const refuseTemplate: Refuse<ChatBody> = ({ messages }) => {
  const turns = messages.filter(({ role }) => role !== 'system')
  const wrong = turns.some(({ role }, index) => (role === 'user') !== (index % 2 === 0))
  if (wrong) return template('Conversation roles must alternate user/assistant/user/assistant/...')
  if (turns.at(-1)?.role !== 'user') return template('Last message must have role `user`.')
  return undefined
}

function hasPart({ content }: ChatMessage, type: string): boolean {
  return Array.isArray(content) && content.some((part) => part.type === type)
}

function openai(message: string, param: string | null = null): Refusal {
  return { status: 400, body: { error: { message, type: 'invalid_request_error', param, code: null } } }
}

function mistral(message: string, type: string, code: string): Refusal {
  return { status: 400, body: { object: 'error', message, type, param: null, code } }
}

function deepseek(message: string): Refusal {
  return {
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' } },
  }
}

function template(message: string): Refusal {
  return {
    status: 400,
    body: { error: { object: 'error', message, type: 'BadRequestError', param: null, code: 400 } },
  }
}
