import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
} from '@ai-sdk/provider'
import { z } from '@hono/zod-openapi'
import type { BodyFields } from '../routes/unknown-fields.ts'
import {
  type Call,
  defined,
  type Format,
  fileData,
  type PromptMessage,
  parseArguments,
  saysSomething,
  toResponseFormat,
  toTools,
} from './call.ts'
import { InvalidRequest, refuseMisspelled } from './openai-error.ts'

const TextPart = z.looseObject({ type: z.literal('text'), text: z.string() })
const ImagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string() }),
})
const FilePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({ file_data: z.string(), filename: z.string().optional() }),
})
const RefusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })
const Text = z.union([z.string(), z.array(TextPart)])
const AnswerText = z.union([z.string(), z.array(z.discriminatedUnion('type', [TextPart, RefusalPart]))])

/** Whatever a model has generated. */
const ToolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
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
    content: AnswerText.nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(ToolCall).nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string(), content: Text }),
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

/**
 * The supported fields of a request to `/v1/chat/completions`. Other fields are ignored, unless they are like a guarding
 * one.
 */
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

const CHAT_REQUEST_FIELDS: BodyFields = {
  route: '/v1/chat/completions',
  known: Object.keys(ChatRequest.shape),
  guarding: {
    max_tokens: undefined,
    max_completion_tokens: undefined,
    max_output_tokens: "Here it is 'max_completion_tokens'.",
    tool_choice: undefined,
    response_format: undefined,
  },
}

export type ChatRequest = z.infer<typeof ChatRequest>
type ChatMessage = z.infer<typeof ChatMessage>

/** @throws InvalidRequest */
export function chatCall(request: ChatRequest): Call {
  refuseMisspelled(request, CHAT_REQUEST_FIELDS)
  const { response_format: format, tools = [], tool_choice: choice, stop } = request
  if ((request.n ?? 1) !== 1) {
    throw new InvalidRequest('n', `n is ${request.n}, and only one answer can be generated. Remove n.`)
  }
  return {
    model: request.model,
    stream: request.stream ?? false,
    prompt: toPrompt(request.messages),
    fields: { messages: 'messages', format: 'response_format' },
    settings: defined({
      maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
      temperature: request.temperature,
      topP: request.top_p,
      presencePenalty: request.presence_penalty,
      frequencyPenalty: request.frequency_penalty,
      seed: request.seed,
      reasoning: request.reasoning_effort,
      stopSequences: typeof stop === 'string' ? [stop] : stop,
      tools: tools.length > 0 ? toTools(tools.map((tool) => tool.function)) : undefined,
      toolChoice:
        choice === undefined || typeof choice === 'string'
          ? choice && { type: choice }
          : { type: 'tool' as const, toolName: choice.function.name },
      responseFormat: toResponseFormat(format && formatOf(format)),
    }),
  }
}

function formatOf(format: z.infer<typeof ResponseFormat>): Format {
  return format.type === 'json_schema' ? { type: format.type, ...format.json_schema } : format
}

function toPrompt(messages: readonly ChatMessage[]): PromptMessage[] {
  const toolNames = new Map<string, string>()
  const prompt = messages.map((message, index) => ({
    message: toMessage(message, { place: `messages.${index}`, toolNames }),
    place: `messages.${index}`,
  }))
  return prompt.filter(saysSomething)
}

function toMessage(
  message: ChatMessage,
  { place, toolNames }: { place: string; toolNames: Map<string, string> },
): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textOf(message.content) }
    case 'user':
      return { role: 'user', content: userContent(message.content) }
    case 'assistant': {
      const { content, refusal, tool_calls: calls } = message
      const text = answerTextOf(content ?? '') || (refusal ?? '')
      for (const { id, function: called } of calls ?? []) toolNames.set(id, called.name)
      return {
        role: 'assistant',
        content: [
          ...(text === '' ? [] : [{ type: 'text' as const, text }]),
          ...(calls ?? []).map(({ id, function: called }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: called.name,
            input: parseArguments(called.arguments),
          })),
        ],
      }
    }
    default: {
      const toolName = toolNames.get(message.tool_call_id)
      if (toolName === undefined) {
        throw new InvalidRequest(
          `${place}.tool_call_id`,
          `No earlier tool call has the id '${message.tool_call_id}'. Send the assistant message with the call before its result.`,
        )
      }
      const output = { type: 'text' as const, value: textOf(message.content) }
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: message.tool_call_id, toolName, output }],
      }
    }
  }
}

type UserContent = Extract<ChatMessage, { role: 'user' }>['content']

function userContent(content: UserContent): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part) => {
    switch (part.type) {
      case 'text':
        return { type: 'text', text: part.text }
      case 'image_url':
        return {
          type: 'file',
          ...fileData(part.image_url.url, { fallback: 'image/*', place: 'messages' }),
        }
      default:
        return {
          type: 'file',
          ...fileData(part.file.file_data, { fallback: 'application/pdf', place: 'messages' }),
          ...defined({ filename: part.file.filename }),
        }
    }
  })
}

function answerTextOf(content: z.infer<typeof AnswerText>): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : part.refusal)).join('')
}

function textOf(content: z.infer<typeof Text>): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}
