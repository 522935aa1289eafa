import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { z } from '@hono/zod-openapi'
import type { BodyFields } from '../routes/unknown-fields.ts'
import {
  type Call,
  defined,
  fileData,
  type PromptMessage,
  parseArguments,
  saysSomething,
  toResponseFormat,
  toTools,
} from './call.ts'
import { InvalidRequest, refuseMisspelled } from './openai-error.ts'

const Tool = z.looseObject({
  type: z.string(),
  name: z.string().min(1).optional(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
})

const TextFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string(),
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()).optional(),
  }),
])

/** The supported fields of a request to `/v1/responses`. Other fields are ignored, unless they are like a guarding one. */
export const ResponsesRequest = z
  .looseObject({
    model: z.string(),
    input: z.union([z.string(), z.array(z.looseObject({ type: z.string().optional() })).min(1)]),
    instructions: z.string().nullish(),
    stream: z.boolean().nullish(),
    max_output_tokens: z.number().int().positive().nullish(),
    temperature: z.number().nullish(),
    top_p: z.number().nullish(),
    tools: z.array(Tool).nullish(),
    tool_choice: z
      .union([
        z.enum(['none', 'auto', 'required']),
        z.looseObject({ type: z.literal('function'), name: z.string() }),
      ])
      .nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    text: z.looseObject({ format: TextFormat.nullish() }).nullish(),
    reasoning: z
      .looseObject({ effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish() })
      .nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
    previous_response_id: z.string().nullish(),
    conversation: z.unknown().optional(),
    background: z.boolean().nullish(),
    prompt: z.unknown().optional(),
  })
  .openapi('ResponsesRequest')

const RESPONSES_REQUEST_FIELDS: BodyFields = {
  route: '/v1/responses',
  known: Object.keys(ResponsesRequest.shape),
  guarding: {
    max_output_tokens: undefined,
    max_tokens: "Here it is 'max_output_tokens'.",
    max_completion_tokens: "Here it is 'max_output_tokens'.",
    tool_choice: undefined,
    instructions: undefined,
  },
}

export type ResponsesRequest = z.infer<typeof ResponsesRequest>

/** Fields that refer to responses stored on the server. */
const STORED_RESPONSE_FIELDS = ['previous_response_id', 'conversation', 'background', 'prompt'] as const

/** @throws InvalidRequest */
export function responsesCall(request: ResponsesRequest): Call {
  refuseMisspelled(request, RESPONSES_REQUEST_FIELDS)
  const { input, instructions, tools, tool_choice: choice, text, reasoning } = request
  for (const field of STORED_RESPONSE_FIELDS) {
    if (!request[field]) continue
    throw new InvalidRequest(
      field,
      `Responses are not stored, so ${field} is not supported. Remove it, and send the whole conversation as input.`,
    )
  }
  return {
    model: request.model,
    stream: request.stream ?? false,
    prompt: [
      ...(instructions
        ? [{ message: { role: 'system' as const, content: instructions }, place: 'instructions' }]
        : []),
      ...toPrompt(input),
    ],
    fields: { messages: 'input', format: 'text.format' },
    settings: defined({
      maxOutputTokens: request.max_output_tokens,
      temperature: request.temperature,
      topP: request.top_p,
      reasoning: reasoning?.effort,
      tools: tools?.length ? toTools(tools.map(functionOf)) : undefined,
      toolChoice:
        typeof choice === 'string'
          ? { type: choice }
          : choice && { type: 'tool' as const, toolName: choice.name },
      responseFormat: toResponseFormat(text?.format ?? undefined),
    }),
  }
}

function functionOf(tool: z.infer<typeof Tool>, index: number): z.infer<typeof Tool> & { name: string } {
  const { type, name } = tool
  if (type === 'function' && name !== undefined) return { ...tool, name }
  throw new InvalidRequest(
    `tools.${index}`,
    `A tool of type '${type.slice(0, 60)}' is not supported. Use tools of type 'function', with a name.`,
  )
}

const InputPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('input_text'), text: z.string() }),
  z.looseObject({ type: z.literal('output_text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({ type: z.literal('input_image'), image_url: z.string() }),
  z.looseObject({
    type: z.literal('input_file'),
    file_data: z.string().optional(),
    file_url: z.string().optional(),
    filename: z.string().optional(),
  }),
])
type InputPart = z.infer<typeof InputPart>

const MessageItem = z.looseObject({
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(InputPart)]),
})
/** Whatever a model has generated. */
const CallItem = z.looseObject({ call_id: z.string(), name: z.string(), arguments: z.string() })
const OutputItem = z.looseObject({
  call_id: z.string(),
  output: z.union([z.string(), z.array(InputPart)]),
})

function toPrompt(input: ResponsesRequest['input']): PromptMessage[] {
  if (typeof input === 'string') {
    return [{ message: { role: 'user', content: [{ type: 'text', text: input }] }, place: 'input' }]
  }
  const prompt: PromptMessage[] = []
  const toolNames = new Map<string, string>()
  for (const [index, item] of input.entries()) {
    const place = `input.${index}`
    switch (item.type ?? 'message') {
      case 'message':
        prompt.push({ message: toMessage(parse(MessageItem, item, place), place), place })
        break
      case 'function_call': {
        const { call_id: toolCallId, name, arguments: json } = parse(CallItem, item, place)
        toolNames.set(toolCallId, name)
        const input = parseArguments(json)
        assistantAt(prompt, place).push({ type: 'tool-call', toolCallId, toolName: name, input })
        break
      }
      case 'function_call_output': {
        const { call_id: toolCallId, output } = parse(OutputItem, item, place)
        const toolName = toolNames.get(toolCallId)
        if (toolName === undefined) {
          throw new InvalidRequest(
            `${place}.call_id`,
            `No earlier tool call has the id '${toolCallId}'. Send the call before its result.`,
          )
        }
        resultsAt(prompt, place).push({
          type: 'tool-result',
          toolCallId,
          toolName,
          output: toolOutput(output, place),
        })
        break
      }
      case 'reasoning':
        // Providers accept their reasoning back only with their signature.
        break
      case 'item_reference':
        throw new InvalidRequest(
          place,
          "Responses are not stored, so an item cannot be referenced. Send the item itself: with the AI SDK's openai provider, set store to false.",
        )
      default:
        throw new InvalidRequest(
          place,
          `An item of type '${item.type?.slice(0, 60)}' is not supported. Remove it.`,
        )
    }
  }
  return prompt.filter(saysSomething)
}

function parse<SCHEMA extends z.ZodType>(schema: SCHEMA, item: unknown, place: string): z.infer<SCHEMA> {
  const { data, error } = schema.safeParse(item)
  if (error === undefined) return data as z.infer<SCHEMA>
  const [issue] = error.issues
  throw new InvalidRequest([place, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'It is not valid.')
}

function toMessage({ role, content }: z.infer<typeof MessageItem>, place: string): LanguageModelV4Message {
  switch (role) {
    case 'user':
      return {
        role,
        content:
          typeof content === 'string'
            ? [{ type: 'text', text: content }]
            : content.map((part) => userPart(part, place)),
      }
    case 'assistant': {
      const text = textOf(content, place)
      return { role, content: text === '' ? [] : [{ type: 'text', text }] }
    }
    default:
      return { role: 'system', content: textOf(content, place) }
  }
}

/**
 * The content of the last assistant message; starts one if needed. Tool calls go into the message before
 * them.
 */
function assistantAt(
  prompt: PromptMessage[],
  place: string,
): Extract<LanguageModelV4Message, { role: 'assistant' }>['content'] {
  const last = prompt.at(-1)?.message
  if (last?.role === 'assistant') return last.content
  const message = { role: 'assistant' as const, content: [] }
  prompt.push({ message, place })
  return message.content
}

/** The content of the last tool message; starts one if needed. Consecutive results are in one message. */
function resultsAt(
  prompt: PromptMessage[],
  place: string,
): Extract<LanguageModelV4Message, { role: 'tool' }>['content'] {
  const last = prompt.at(-1)?.message
  if (last?.role === 'tool') return last.content
  const message = { role: 'tool' as const, content: [] }
  prompt.push({ message, place })
  return message.content
}

function userPart(part: InputPart, place: string): LanguageModelV4TextPart | LanguageModelV4FilePart {
  switch (part.type) {
    case 'input_image':
      return { type: 'file', ...fileData(part.image_url, { fallback: 'image/*', place }) }
    case 'input_file': {
      const url = part.file_data ?? part.file_url
      if (url === undefined) {
        throw new InvalidRequest(place, 'A file has neither file_data nor file_url. Send one of them.')
      }
      const { filename } = part
      return {
        type: 'file',
        ...fileData(url, { fallback: 'application/pdf', place }),
        ...defined({ filename }),
      }
    }
    default:
      return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text }
  }
}

function toolOutput(
  output: z.infer<typeof OutputItem>['output'],
  place: string,
): LanguageModelV4ToolResultPart['output'] {
  if (typeof output === 'string') return { type: 'text', value: output }
  return { type: 'content', value: output.map((part) => userPart(part, place)) as never }
}

function textOf(content: string | readonly InputPart[], place: string): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => {
      const read = userPart(part, place)
      if (read.type === 'text') return read.text
      throw new InvalidRequest(
        place,
        'A file can only be in a user message or in the output of a tool. Move or remove it.',
      )
    })
    .join('')
}
