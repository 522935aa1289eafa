import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
} from '@ai-sdk/provider'
import { z } from '@hono/zod-openapi'
import type { ModelMessage } from '@millrace/core'
import { InvalidRequest } from './openai-error.ts'

const TextPart = z.looseObject({ type: z.literal('text'), text: z.string() })
const ImagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string() }),
})
const FilePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({ file_data: z.string(), filename: z.string().optional() }),
})
const Text = z.union([z.string(), z.array(TextPart)])

const ToolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
})

const ChatMessage = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content: Text }),
  z.looseObject({ role: z.literal('developer'), content: Text }),
  z.looseObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [TextPart, ImagePart, FilePart]))]),
  }),
  z.looseObject({
    role: z.literal('assistant'),
    content: Text.nullish(),
    tool_calls: z.array(ToolCall).optional(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: Text }),
])

const Tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
})

const ResponseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string(),
      description: z.string().optional(),
      schema: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
])

/** What is taken of a request to `/v1/chat/completions`. Other fields are let pass and left out, as providers do. */
export const ChatRequest = z
  .looseObject({
    model: z.string(),
    messages: z.array(ChatMessage).min(1),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
    max_tokens: z.number().int().positive().nullish(),
    max_completion_tokens: z.number().int().positive().nullish(),
    temperature: z.number().nullish(),
    top_p: z.number().nullish(),
    presence_penalty: z.number().nullish(),
    frequency_penalty: z.number().nullish(),
    seed: z.number().int().nullish(),
    stop: z.union([z.string(), z.array(z.string())]).nullish(),
    n: z.number().int().nullish(),
    tools: z.array(Tool).optional(),
    tool_choice: z
      .union([
        z.enum(['none', 'auto', 'required']),
        z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
      ])
      .optional(),
    response_format: ResponseFormat.optional(),
    reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
  })
  .openapi('ChatCompletionRequest')

export type ChatRequest = z.infer<typeof ChatRequest>
type ChatMessage = z.infer<typeof ChatMessage>

/** For a proxied model: the request is the application's own, so system messages and tool results count. */
export function toCallOptions(request: ChatRequest, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  const { response_format: format, tools = [], tool_choice: choice, stop } = request
  const maxOutputTokens = request.max_completion_tokens ?? request.max_tokens
  return {
    prompt: toPrompt(request.messages),
    abortSignal,
    ...defined({
      maxOutputTokens,
      temperature: request.temperature,
      topP: request.top_p,
      presencePenalty: request.presence_penalty,
      frequencyPenalty: request.frequency_penalty,
      seed: request.seed,
      reasoning: request.reasoning_effort,
      stopSequences: typeof stop === 'string' ? [stop] : stop,
    }),
    ...(format?.type === 'json_object' && { responseFormat: { type: 'json' as const } }),
    ...(format?.type === 'json_schema' && {
      responseFormat: {
        type: 'json' as const,
        name: format.json_schema.name,
        ...defined({
          schema: format.json_schema.schema as JSONSchema7 | undefined,
          description: format.json_schema.description,
        }),
      },
    }),
    ...(tools.length > 0 && {
      tools: tools.map(({ function: { name, description, parameters, strict } }) => ({
        type: 'function' as const,
        name,
        inputSchema: (parameters ?? { type: 'object', properties: {} }) as JSONSchema7,
        ...defined({ description, strict }),
      })),
    }),
    ...(choice !== undefined && {
      toolChoice:
        typeof choice === 'string'
          ? { type: choice }
          : { type: 'tool' as const, toolName: choice.function.name },
    }),
  }
}

/**
 * For an agent: its instructions, tools and earlier tool results are the server's. What the client calls so is refused, and
 * not left out in silence.
 *
 * @throws InvalidRequest
 */
export function toAgentInput({
  messages,
  tools,
  tool_choice,
  response_format: format,
}: ChatRequest): ModelMessage[] {
  if (tools?.length || tool_choice !== undefined) {
    throw new InvalidRequest('tools', 'An agent has its own tools. Leave tools and tool_choice out.')
  }
  if (format && format.type !== 'text') {
    throw new InvalidRequest('response_format', 'An agent answers with text. Leave response_format out.')
  }
  return messages.map((message, index): ModelMessage => {
    switch (message.role) {
      case 'user':
        return { role: 'user', content: userContent(message.content) as never }
      case 'assistant':
        if (message.tool_calls?.length) {
          throw new InvalidRequest(`messages.${index}`, 'An agent keeps its own calls. Leave tool_calls out.')
        }
        return { role: 'assistant', content: textOf(message.content ?? '') }
      default:
        throw new InvalidRequest(
          `messages.${index}.role`,
          `An agent has its own instructions and tools: a client's ${message.role} message is not taken. Send user and assistant messages.`,
        )
    }
  })
}

function toPrompt(messages: readonly ChatMessage[]): LanguageModelV4Message[] {
  const toolNames = new Map<string, string>()
  return messages.map((message, index): LanguageModelV4Message => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: textOf(message.content) }
      case 'user':
        return { role: 'user', content: userContent(message.content) }
      case 'assistant': {
        const text = textOf(message.content ?? '')
        for (const { id, function: called } of message.tool_calls ?? []) toolNames.set(id, called.name)
        return {
          role: 'assistant',
          content: [
            ...(text === '' ? [] : [{ type: 'text' as const, text }]),
            ...(message.tool_calls ?? []).map(({ id, function: called }) => ({
              type: 'tool-call' as const,
              toolCallId: id,
              toolName: called.name,
              input: parseInput(called.arguments, `messages.${index}.tool_calls`),
            })),
          ],
        }
      }
      default: {
        const toolName = toolNames.get(message.tool_call_id)
        if (toolName === undefined) {
          throw new InvalidRequest(
            `messages.${index}.tool_call_id`,
            `No call before has the id '${message.tool_call_id}'.`,
          )
        }
        const output = { type: 'text' as const, value: textOf(message.content) }
        return {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: message.tool_call_id, toolName, output }],
        }
      }
    }
  })
}

type UserContent = Extract<ChatMessage, { role: 'user' }>['content']

function userContent(content: UserContent): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part) => {
    switch (part.type) {
      case 'text':
        return { type: 'text', text: part.text }
      case 'image_url':
        return { type: 'file', ...fileData(part.image_url.url, 'image/*') }
      default:
        return {
          type: 'file',
          ...fileData(part.file.file_data, 'application/pdf'),
          ...defined({ filename: part.file.filename }),
        }
    }
  })
}

/** A data URL, or an address that the provider reads. */
function fileData(url: string, fallback: string): Pick<LanguageModelV4FilePart, 'data' | 'mediaType'> {
  const inline = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/=]*)$/.exec(url)
  if (inline) return { mediaType: inline[1] as string, data: { type: 'data', data: inline[2] as string } }
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new InvalidRequest(
      'messages',
      `A file has the URL '${url.slice(0, 60)}'. Use a base64 data URL or an https URL.`,
    )
  }
  return { mediaType: fallback, data: { type: 'url', url: new URL(url) } }
}

function parseInput(json: string, place: string): unknown {
  try {
    return JSON.parse(json === '' ? '{}' : json)
  } catch {
    throw new InvalidRequest(place, 'The arguments of a call are not JSON.')
  }
}

function textOf(content: z.infer<typeof Text>): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}

/** The fields that have a value. */
function defined<FIELDS extends Record<string, unknown>>(
  fields: FIELDS,
): { [NAME in keyof FIELDS]?: NonNullable<FIELDS[NAME]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as never
}
