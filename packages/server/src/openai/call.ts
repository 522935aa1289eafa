import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
} from '@ai-sdk/provider'
import { isRecord, type ModelMessage } from '@millrace/core'
import { InvalidRequest } from './openai-error.ts'

/** A request of one of OpenAI's protocols. */
export interface Call {
  model: string
  stream: boolean
  prompt: readonly PromptMessage[]
  settings: Pick<
    LanguageModelV4CallOptions,
    | 'maxOutputTokens'
    | 'temperature'
    | 'topP'
    | 'presencePenalty'
    | 'frequencyPenalty'
    | 'seed'
    | 'reasoning'
    | 'stopSequences'
    | 'tools'
    | 'toolChoice'
    | 'responseFormat'
  >
  /** The names of fields in the protocol, for error messages. */
  fields: { messages: string; format: string }
}

export interface PromptMessage {
  message: LanguageModelV4Message
  /** The path of the message in the request, for error messages. */
  place: string
}

/** Whether a message has content: an answer of a model need not have any, and providers refuse it without. */
export function saysSomething({ message }: PromptMessage): boolean {
  return message.role !== 'assistant' || message.content.length > 0
}

/** A tool as clients describe it; both protocols are converted to this. */
export interface DescribedTool {
  name: string
  description?: string | null | undefined
  parameters?: Record<string, unknown> | null | undefined
  strict?: boolean | null | undefined
}

/**
 * For a proxied model. The request comes from the application, so system messages and tool results are
 * trusted.
 */
export function toCallOptions(
  { prompt, settings }: Call,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  return { ...settings, prompt: prompt.map(({ message }) => message), abortSignal }
}

/**
 * For an agent, which has its own instructions, tools and tool results. The same fields in a client's request
 * are refused, not ignored.
 *
 * @throws InvalidRequest
 */
export function toAgentInput({ prompt, settings, fields }: Call): ModelMessage[] {
  if (settings.tools !== undefined || settings.toolChoice !== undefined) {
    throw new InvalidRequest('tools', 'An agent has its own tools. Remove tools and tool_choice.')
  }
  if (settings.responseFormat !== undefined) {
    throw new InvalidRequest(fields.format, `An agent answers with text. Remove ${fields.format}.`)
  }
  return prompt.map(({ message, place }): ModelMessage => {
    switch (message.role) {
      case 'user':
        return { role: 'user', content: message.content as never }
      case 'assistant':
        if (message.content.some(({ type }) => type === 'tool-call')) {
          throw new InvalidRequest(place, 'An agent keeps its own tool calls. Remove them.')
        }
        return {
          role: 'assistant',
          content: message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
        }
      default:
        throw new InvalidRequest(
          place,
          `An agent has its own instructions and tools: a client's ${message.role} message is refused. Send only user and assistant messages.`,
        )
    }
  })
}

export function toTools(tools: readonly DescribedTool[]): NonNullable<LanguageModelV4CallOptions['tools']> {
  return tools.map(({ name, description, parameters, strict }) => ({
    type: 'function',
    name,
    inputSchema: (parameters ?? { type: 'object', properties: {} }) as JSONSchema7,
    ...defined({ description, strict }),
  }))
}

/** Structured output, in both protocols. */
export type Format =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      name: string
      description?: string | undefined
      schema?: Record<string, unknown> | undefined
    }

export function toResponseFormat(format: Format | undefined): LanguageModelV4CallOptions['responseFormat'] {
  if (format === undefined || format.type === 'text') return undefined
  if (format.type !== 'json_schema') return { type: 'json' }
  const { name, description, schema } = format
  return { type: 'json', name, ...defined({ schema: schema as JSONSchema7 | undefined, description }) }
}

/**
 * A data URL, or a URL that the provider fetches.
 *
 * @throws InvalidRequest
 */
export function fileData(
  url: string,
  { fallback, place }: { fallback: string; place: string },
): Pick<LanguageModelV4FilePart, 'data' | 'mediaType'> {
  const inline = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/=]*)$/.exec(url)
  if (inline) return { mediaType: inline[1] as string, data: { type: 'data', data: inline[2] as string } }
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new InvalidRequest(
      place,
      `The URL of a file is '${url.slice(0, 60)}'. Use a base64 data URL or an https URL.`,
    )
  }
  return { mediaType: fallback, data: { type: 'url', url: new URL(url) } }
}

/**
 * The arguments of an earlier call. What is no JSON object, such as the arguments of an answer that was cut off, is sent
 * to no provider: they refuse it.
 */
export function parseArguments(json: string): Record<string, unknown> {
  try {
    const input: unknown = JSON.parse(json)
    return isRecord(input) ? input : {}
  } catch {
    return {}
  }
}

/** The fields that are not `undefined` or `null`. */
export function defined<FIELDS extends Record<string, unknown>>(
  fields: FIELDS,
): { [NAME in keyof FIELDS]?: NonNullable<FIELDS[NAME]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as never
}
