import type Anthropic from '@anthropic-ai/sdk'
import type { Content } from '@google/genai'
import type OpenAI from 'openai'
import { z } from 'zod'

/**
 * The bodies of requests, as the official clients of the providers type them. Each `satisfies` holds a schema to the
 * type of the client: what the schema accepts can be assigned to the type, so a body that passes fits the type. Keys
 * that the schema does not name are refused. Beyond the types, the schemas have what the documentation states of
 * names, ids, inputs and empty texts.
 */

/** JSON is sent as UTF-8, which has no lone surrogates: parsers refuse the body. */
const text = z.string().refine((value) => value.isWellFormed(), 'has a lone surrogate')
const filled = text.min(1)
const written = text.regex(/\S/)
const json = z.json().refine((value) => JSON.stringify(value).toWellFormed() === JSON.stringify(value))
const object = z.record(text, json).refine((value) => levelsOf(value) <= 32, 'is nested too deeply')

/** OpenAI takes names and ids of up to 64 characters. */
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const id = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
/** Arguments are a string for OpenAI; servers with a chat template read it as a JSON object. */
const argumentsText = text.refine((value) => object.safeParse(parsed(value)).success, 'is no JSON object')

type ChatMessage = OpenAI.ChatCompletionMessageParam

const chatTexts = z.array(z.strictObject({ type: z.literal('text'), text: filled })).min(1)
const chatMessages = z
  .array(
    z.union([
      z.strictObject({ role: z.literal('system'), content: filled }),
      z.strictObject({ role: z.literal('user'), content: z.union([filled, chatTexts]) }),
      z.strictObject({
        role: z.literal('assistant'),
        content: text.nullable(),
        tool_calls: z
          .array(
            z.strictObject({
              id,
              type: z.literal('function'),
              function: z.strictObject({ name, arguments: argumentsText }),
            }),
          )
          .min(1)
          .exactOptional(),
      }),
      z.strictObject({ role: z.literal('tool'), tool_call_id: id, content: text }),
    ]),
  )
  .min(1) satisfies z.ZodType<ChatMessage[]>

type ResponseItem = OpenAI.Responses.ResponseInputItem

const outputItem = z.union([
  z.strictObject({ type: z.literal('input_text'), text }),
  z.strictObject({ type: z.literal('input_file'), filename: text, file_data: text }),
])
const responseItems = z
  .array(
    z.union([
      z.strictObject({ role: z.enum(['system', 'developer']), content: filled }),
      z.strictObject({
        role: z.literal('user'),
        content: z.array(z.strictObject({ type: z.literal('input_text'), text: filled })).min(1),
      }),
      // An empty text may be an item that the reasoning before it requires.
      z.strictObject({ role: z.literal('assistant'), content: text }),
      z.strictObject({ type: z.literal('item_reference'), id: filled }),
      z.strictObject({
        type: z.literal('reasoning'),
        id: filled,
        encrypted_content: text.nullable().exactOptional(),
        summary: z.array(z.strictObject({ type: z.literal('summary_text'), text })),
      }),
      z.strictObject({ type: z.literal('function_call'), call_id: id, name, arguments: argumentsText }),
      z.strictObject({
        type: z.literal('custom_tool_call'),
        call_id: id,
        id: text.exactOptional(),
        name,
        input: text,
      }),
      z.strictObject({
        type: z.literal('function_call_output'),
        call_id: id,
        output: z.union([text, z.array(outputItem)]),
      }),
      z.strictObject({ type: z.literal('custom_tool_call_output'), call_id: id, output: text }),
    ]),
  )
  .min(1) satisfies z.ZodType<ResponseItem[]>

type ClaudeMessage = Anthropic.MessageParam

const claudeText = z.strictObject({ type: z.literal('text'), text: written })
const claudeImage = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    data: filled,
  }),
})
const claudeId = z.string().regex(/^[a-zA-Z0-9_-]+$/)
const claudeMessages = z
  .array(
    z.union([
      z.strictObject({
        role: z.literal('user'),
        content: z
          .array(
            z.union([
              claudeText,
              claudeImage,
              z.strictObject({
                type: z.literal('tool_result'),
                tool_use_id: claudeId,
                content: z.union([text, z.array(z.union([claudeText, claudeImage]))]),
                is_error: z.boolean().exactOptional(),
              }),
            ]),
          )
          .min(1),
      }),
      z.strictObject({
        role: z.literal('assistant'),
        content: z
          .array(
            z.union([
              claudeText,
              z.strictObject({ type: z.literal('thinking'), thinking: text, signature: filled }),
              z.strictObject({ type: z.literal('redacted_thinking'), data: filled }),
              z.strictObject({
                type: z.literal('tool_use'),
                id: claudeId,
                name: z.string().regex(/^[a-zA-Z0-9_-]{1,200}$/),
                input: object,
              }),
            ]),
          )
          .min(1),
      }),
    ]),
  )
  .min(1) satisfies z.ZodType<ClaudeMessage[]>

/** Google's names begin with a letter or an underscore, and may have dots, colons and dashes. */
const googleName = z.string().regex(/^[a-zA-Z_][\w.:-]{0,127}$/)
const thought = { thought: z.literal(true).exactOptional(), thoughtSignature: text.exactOptional() }
const bytes = z.strictObject({ mimeType: filled, data: text })
const googlePart = z.union([
  z
    .strictObject({ text, ...thought })
    .refine((part) => part.text !== '' || part.thoughtSignature !== undefined, 'is empty'),
  z.strictObject({ inlineData: bytes, ...thought }),
  z.strictObject({
    functionCall: z.strictObject({ id: filled.exactOptional(), name: googleName, args: object }),
    ...thought,
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: filled.exactOptional(),
      name: googleName,
      response: object,
      parts: z.array(z.strictObject({ inlineData: bytes })).exactOptional(),
    }),
  }),
])
const googleContents = z
  .array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(googlePart).min(1) }))
  .min(1) satisfies z.ZodType<Content[]>

/** The conversation in the body of a request, by provider. */
export const sdkBodies = {
  openai: z.looseObject({ input: responseItems }),
  'openai.chat': z.looseObject({ messages: chatMessages }),
  anthropic: z.looseObject({ messages: claudeMessages }),
  google: z.looseObject({ contents: googleContents }),
}

function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf))
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
