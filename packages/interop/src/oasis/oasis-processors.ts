import {
  type MessagePart,
  type ProcessInputStepResult,
  type ProcessOutputStepArgs,
  type ProcessOutputStepResult,
  type Processor,
  requireOptions,
} from '@millrace/core'
import { identityOf, type MaybePromise, requireMethod } from '../adapter/adapter.ts'
import { editLastResponse } from '../adapter/last-response.ts'
import { messageChanges } from '../adapter/message-changes.ts'
import {
  CONTEXT_ADAPTER_OPTIONS,
  type ContextAdapterOptions,
  contextOf,
  type ModifierContext,
} from '../adapter/modifier-context.ts'
import { definitionsOf, withTools } from '../adapter/tool-definition.ts'
import { argsOf, linesOf, linesOfCalls, type SourceLine } from '../lines/lines-of-messages.ts'
import { matchLines } from '../lines/match-lines.ts'
import type { EditedLine } from '../lines/messages-of-lines.ts'
import {
  type ChatRequest,
  type ChatResponse,
  fileContent,
  lineOfOasis,
  type OasisMessage,
  type OasisToolCall,
  type OasisToolResult,
  oasisMessage,
  oasisTool,
  readOasisTool,
} from './oasis-message.ts'
import { oasisParams, oasisSchema, paramChanges, schemaChanges } from './oasis-request.ts'
import { openResult, resultChanges } from './oasis-tool-result.ts'

/** Nothing, or an error as in Go, which is then thrown. */
// biome-ignore lint/suspicious/noConfusingVoidType: a method may return nothing
type GoError = MaybePromise<Error | null | undefined | void>

/** Oasis' `PreProcessor`, with the parameters in the order of Go, or with the context last. */
export type PreProcessor =
  | { PreLLM(context: ModifierContext, request: ChatRequest): GoError }
  | { preLLM(request: ChatRequest, context: ModifierContext): GoError }

/**
 * Runs an Oasis `PreProcessor` in `processInputStep`, before every call. Its changes to the request apply to
 * this call only. If it throws or returns an error, the run fails and later processors do not run. `Halt` and
 * `Suspend` are supported.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no such method
 */
export function preLLM(processor: PreProcessor, given: ContextAdapterOptions = {}): Processor {
  const options = requireOptions('preLLM()', given, CONTEXT_ADAPTER_OPTIONS)
  requireMethod(processor, ['PreLLM', 'preLLM'], 'preLLM')
  return {
    ...identityOf(options, 'pre-llm'),
    async processInputStep(args) {
      const known = linesOf(args.messages, args.systemMessages)
      const handed = known.map(({ line }) => oasisMessage(line))
      const definitions = await definitionsOf(args)
      const request: ChatRequest = {
        Messages: [...handed],
        Tools: structuredClone(definitions).map(oasisTool),
        ResponseSchema: await oasisSchema(args.structuredOutput),
        GenerationParams: oasisParams(args.modelSettings),
      }
      const schemaBefore = structuredClone(request.ResponseSchema)
      const context = contextOf(args, options.metrics)
      await raise(
        'PreLLM' in processor ? processor.PreLLM(context, request) : processor.preLLM(request, context),
      )
      return {
        ...messageChanges(args, known, readMessages(known, handed, request.Messages)),
        ...withTools(args, definitions, (request.Tools ?? []).map(readOasisTool)),
        ...schemaChanges(schemaBefore, request.ResponseSchema),
        ...paramChanges(args.modelSettings, request.GenerationParams),
      } satisfies ProcessInputStepResult
    },
  }
}

/** Oasis' `PostProcessor`, with the parameters in the order of Go, or with the context last. */
export type PostProcessor =
  | { PostLLM(context: ModifierContext, response: ChatResponse): GoError }
  | { postLLM(response: ChatResponse, context: ModifierContext): GoError }

/**
 * Runs an Oasis `PostProcessor` in `processOutputStep`, after every response and before its tools run. It can
 * rewrite and remove calls; new calls are rejected. If it suspends a run, it is called again with
 * `context.resumeData`.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no such method
 */
export function postLLM(processor: PostProcessor, given: ContextAdapterOptions = {}): Processor {
  const options = requireOptions('postLLM()', given, CONTEXT_ADAPTER_OPTIONS)
  requireMethod(processor, ['PostLLM', 'postLLM'], 'postLLM')
  return {
    ...identityOf(options, 'post-llm'),
    async processOutputStep(args) {
      const { response, before } = openResponse(args)
      const context = contextOf(args, options.metrics)
      await raise(
        'PostLLM' in processor ? processor.PostLLM(context, response) : processor.postLLM(response, context),
      )
      return responseChanges(args, response, before)
    },
  }
}

/** Oasis' `PostToolProcessor`, with the parameters in the order of Go, or with the context last. */
export type PostToolProcessor =
  | { PostTool(context: ModifierContext, call: OasisToolCall, result: OasisToolResult): GoError }
  | { postTool(call: OasisToolCall, result: OasisToolResult, context: ModifierContext): GoError }

/**
 * Runs an Oasis `PostToolProcessor` in `processToolResult`, for every result: outputs, errors, denials, and
 * preliminary outputs of tools that stream. The call is read-only.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no such method
 */
export function postTool(processor: PostToolProcessor, given: ContextAdapterOptions = {}): Processor {
  const options = requireOptions('postTool()', given, CONTEXT_ADAPTER_OPTIONS)
  requireMethod(processor, ['PostTool', 'postTool'], 'postTool')
  return {
    ...identityOf(options, 'post-tool'),
    async processToolResult(args) {
      const { toolCallId: ID, toolName: Name, input, providerMetadata: Metadata } = args.toolCall
      const call: OasisToolCall = { ID, Name, Args: argsOf(input), ...(Metadata && { Metadata }) }
      const result = openResult(args)
      const before = structuredClone(result)
      const context = contextOf(args, options.metrics)
      await raise(
        'PostTool' in processor
          ? processor.PostTool(context, call, result)
          : processor.postTool(call, result, context),
      )
      return resultChanges(args, before, result)
    },
  }
}

async function raise(returned: GoError): Promise<void> {
  const error = await returned
  if (error !== undefined && error !== null) throw error
}

function readMessages(
  known: readonly SourceLine[],
  handed: readonly OasisMessage[],
  returned: readonly OasisMessage[],
): EditedLine[] {
  const lines = new Map(handed.map((message, index) => [message, known[index]?.line]))
  const places = matchLines(
    known.map(({ line }, index) => ({ line, object: handed[index] as OasisMessage })),
    returned.map((message) => ({ line: lineOfOasis(message, lines.get(message)), object: message })),
  )
  return returned.map((message, index) => {
    const place = places[index]
    return { place, line: lineOfOasis(message, place === undefined ? undefined : known[place]?.line) }
  })
}

function openResponse({ messages, text, toolCalls, usage }: ProcessOutputStepArgs): {
  response: ChatResponse
  before: ChatResponse
} {
  const last = linesOf(messages.slice(-1)).at(-1)
  const piece =
    last?.source.kind === 'piece' && last.line.role === 'assistant' ? last.source.piece : undefined
  const metadata = new Map(
    toolCalls.map(({ toolCallId, providerMetadata }) => [toolCallId, providerMetadata]),
  )
  const response: ChatResponse = {
    Content: text,
    Thinking: thinkingOf(piece?.parts ?? []),
    Attachments: (piece && last && oasisMessage(last.line).Attachments) ?? [],
    ToolCalls: linesOfCalls(toolCalls).map(({ id, name, args }) => ({
      ID: id,
      Name: name,
      Args: args,
      ...(metadata.get(id) && { Metadata: metadata.get(id) }),
    })),
    Usage: {
      InputTokens: usage.inputTokens ?? 0,
      OutputTokens: usage.outputTokens ?? 0,
      CachedTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    },
  }
  return { response, before: structuredClone(response) }
}

function responseChanges(
  args: ProcessOutputStepArgs,
  response: ChatResponse,
  before: ChatResponse,
): ProcessOutputStepResult {
  const { Content, Thinking, Attachments = [], ToolCalls = [] } = response
  const sameFiles = JSON.stringify(Attachments) === JSON.stringify(before.Attachments)
  return editLastResponse(
    args,
    (line) => {
      const texts = line.content.filter(({ type }) => type === 'text')
      const files = line.content.filter(({ type }) => type === 'file')
      const isSame = Content === before.Content && sameFiles
      const text =
        Content === before.Content ? texts : Content === '' ? [] : [{ type: 'text', text: Content } as const]
      return {
        ...line,
        content: isSame ? line.content : [...text, ...(sameFiles ? files : Attachments.map(fileContent))],
        calls: ToolCalls.map(({ ID, Name, Args }) => ({ id: ID, name: Name, args: argsOf(Args) })),
      }
    },
    (parts) => (Thinking === before.Thinking ? parts : withThinking(parts, Thinking ?? '')),
  )
}

function thinkingOf(parts: readonly MessagePart[]): string {
  return parts.map((part) => (isReasoning(part) && 'text' in part ? part.text : '')).join('')
}

/** A provider's signature covers the original text, so a changed text loses it. */
function withThinking(parts: readonly MessagePart[], text: string): MessagePart[] {
  const others = parts.filter((part) => !isReasoning(part))
  return text === '' ? others : [{ type: 'reasoning', text, state: 'done' }, ...others]
}

/** For some providers, processors rename the part type `reasoning` to `thinking`. */
function isReasoning({ type }: { type: string }): boolean {
  return type === 'reasoning' || type === 'thinking'
}
