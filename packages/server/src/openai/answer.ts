import type { LanguageModelV4, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import {
  type Agent,
  type FinishReason,
  MillraceError,
  type RunResult,
  type Usage,
  type UserMessageMetadata,
} from '@millrace/core'
import type { Settings } from '../options.ts'
import { type Call, toAgentInput, toCallOptions } from './call.ts'
import { InvalidRequest, isRejection, Rejected } from './openai-error.ts'
import { AnswerCut, providerFault } from './provider-error.ts'

/** A part of an answer, in the order of generation. The last one is `finish`. */
export type AnswerPart =
  /** The model has begun to answer, or goes on with it. */
  | { type: 'start' }
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'call-start'; id: string; name: string }
  /** A piece of the tool call's arguments, as JSON text. */
  | { type: 'call-input'; id: string; text: string }
  | { type: 'call-end'; id: string }
  | { type: 'finish'; reason: AnswerFinish; usage: AnswerUsage }

export type AnswerFinish = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** In tokens. */
export interface AnswerUsage {
  input: number
  output: number
  cached: number | undefined
  reasoning: number | undefined
}

export interface AnswerOptions {
  settings: Settings
  resourceId: string
  /** The thread of an agent's run. */
  threadId: string
  signal: AbortSignal
  /** The application's metadata of the user's message, for an agent. */
  userMessageMetadata: () => Promise<UserMessageMetadata | undefined>
}

/**
 * Calls the agent or proxied model that the request names. With `stream`, parts are returned as they are
 * generated, else after the answer is complete.
 *
 * @throws InvalidRequest, {@link Rejected}, or the error of the model; reading the parts throws the same
 */
export async function answer(call: Call, options: AnswerOptions): Promise<AsyncGenerator<AnswerPart>> {
  const { agents, proxy, limits } = options.settings
  if (call.prompt.length > limits.maxMessages) {
    throw new InvalidRequest(
      call.fields.messages,
      `The request has ${call.prompt.length} messages. The maximum is ${limits.maxMessages}: send fewer.`,
    )
  }
  if (Object.hasOwn(proxy, call.model))
    return answerWithModel(proxy[call.model] as LanguageModelV4, call, options)
  if (Object.hasOwn(agents, call.model)) return answerWithAgent(agents[call.model] as Agent, call, options)
  throw modelNotFound(call.model)
}

export function modelNotFound(model: string): InvalidRequest {
  return new InvalidRequest('model', `There is no model '${model}'. GET /v1/models lists them.`, {
    status: 404,
    code: 'model_not_found',
  })
}

/** A program calls a guarded model: the guards see the whole request. */
async function answerWithModel(
  model: LanguageModelV4,
  call: Call,
  { signal }: AnswerOptions,
): Promise<AsyncGenerator<AnswerPart>> {
  const options = toCallOptions(call, signal)
  if (call.stream) return partsOfStream((await model.doStream(options)).stream)
  return partsOfResponse(await model.doGenerate(options))
}

async function* partsOfResponse({
  content,
  finishReason,
  usage,
}: Awaited<ReturnType<LanguageModelV4['doGenerate']>>): AsyncGenerator<AnswerPart> {
  let hasCalls = false
  for (const part of content) {
    if (part.type === 'text' || part.type === 'reasoning') yield { type: part.type, text: part.text }
    if (part.type !== 'tool-call' || part.providerExecuted) continue
    hasCalls = true
    yield { type: 'call-start', id: part.toolCallId, name: part.toolName }
    yield { type: 'call-input', id: part.toolCallId, text: part.input }
    yield { type: 'call-end', id: part.toolCallId }
  }
  yield finish(finishReason, { hasCalls, usage })
}

async function* partsOfStream(stream: ModelStream): AsyncGenerator<AnswerPart> {
  try {
    yield* readStream(stream)
  } catch (error) {
    const isKnown =
      isRejection(error) || MillraceError.isInstance(error) || providerFault(error) !== undefined
    throw isKnown ? error : new AnswerCut(error)
  }
}

type ModelStream = Awaited<ReturnType<LanguageModelV4['doStream']>>['stream']

async function* readStream(stream: ModelStream): AsyncGenerator<AnswerPart> {
  /** By id of a tool call: whether any of its input has arrived. */
  const calls = new Map<string, boolean>()
  const openCalls = new Set<string>()
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        yield { type: 'start' }
        break
      case 'text-delta':
        yield { type: 'text', text: part.delta }
        break
      case 'reasoning-delta':
        yield { type: 'reasoning', text: part.delta }
        break
      case 'tool-input-start':
        if (part.providerExecuted) break
        calls.set(part.id, false)
        openCalls.add(part.id)
        yield { type: 'call-start', id: part.id, name: part.toolName }
        break
      case 'tool-input-delta':
        if (!calls.has(part.id)) break
        calls.set(part.id, true)
        yield { type: 'call-input', id: part.id, text: part.delta }
        break
      case 'tool-call': {
        if (part.providerExecuted) break
        const id = part.toolCallId
        if (!calls.has(id)) yield { type: 'call-start', id, name: part.toolName }
        if (!calls.get(id)) yield { type: 'call-input', id, text: part.input }
        calls.set(id, true)
        openCalls.delete(id)
        yield { type: 'call-end', id }
        break
      }
      case 'error':
        throw part.error
      case 'finish': {
        const { finishReason, usage } = part
        const end = finish(finishReason, { hasCalls: calls.size > 0, usage })
        // Models of older specifications report a lost connection so.
        const isCut = finishReason.unified === 'other' && finishReason.raw === undefined
        if (isCut || (end.reason === 'tool_calls' && openCalls.size > 0)) throw new AnswerCut()
        yield end
        return
      }
    }
  }
  throw new AnswerCut()
}

/** @throws AnswerCut */
function finish(
  { unified }: LanguageModelV4FinishReason,
  { hasCalls, usage }: { hasCalls: boolean; usage: LanguageModelV4Usage },
): Extract<AnswerPart, { type: 'finish' }> {
  const { inputTokens, outputTokens } = usage
  return {
    type: 'finish',
    reason: finishOf(unified) ?? (hasCalls ? 'tool_calls' : 'stop'),
    usage: {
      input: inputTokens.total ?? 0,
      output: outputTokens.total ?? 0,
      cached: inputTokens.cacheRead,
      reasoning: outputTokens.reasoning,
    },
  }
}

/**
 * Why the answer is incomplete; `undefined` if it is complete.
 *
 * @throws AnswerCut if it is not known how it would have gone on
 */
function finishOf(reason: FinishReason): AnswerFinish | undefined {
  switch (reason) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'error':
    case 'interrupted':
      throw new AnswerCut()
    default:
      return undefined
  }
}

/** An agent answers as a model. The caller does not see its tool calls. */
async function answerWithAgent(
  agent: Agent,
  call: Call,
  { signal, resourceId, threadId, ...asked }: AnswerOptions,
): Promise<AsyncGenerator<AnswerPart>> {
  const input = toAgentInput(call)
  const userMessageMetadata = await asked.userMessageMetadata()
  const options = { abortSignal: signal, resourceId, threadId, userMessageMetadata }
  if (call.stream) return partsOfRun(agent.stream(input, options))
  const result = await accepted(agent.generate(input, options))
  return partsOf([{ type: 'text', text: result.text }, finishOfRun(result)])
}

async function* partsOf(parts: readonly AnswerPart[]): AsyncGenerator<AnswerPart> {
  yield* parts
}

/** Text as `textStream` yields it: these protocols cannot retract text either. */
async function* partsOfRun(run: ReturnType<Agent['stream']>): AsyncGenerator<AnswerPart> {
  try {
    for await (const text of run.textStream) yield { type: 'text', text }
  } catch (error) {
    if (!MillraceError.isInstance(error) || error.code !== 'RUN_TEXT_RETRACTED') throw error
    throw new Rejected({ reason: 'Text that was sent has been retracted. Send the request again.' })
  }
  yield finishOfRun(await accepted(run.result))
}

/** @throws Rejected, or InvalidRequest for a suspended run, which is released: these protocols cannot resume it */
async function accepted(running: Promise<RunResult>): Promise<RunResult> {
  const result = await running
  if (result.status === 'aborted') throw result.abortReason
  if (result.status === 'tripwire') throw new Rejected(result.rejection)
  if (result.status !== 'suspended') return result
  await result.suspension.release()
  throw new InvalidRequest(
    'model',
    'The agent waits for an approval, which this protocol cannot send. Use the chat route for this agent.',
  )
}

/** @throws AnswerCut */
function finishOfRun({ status, finishReason, usage }: RunResult): AnswerPart {
  const isOfModel = status === 'completed'
  const reason = status === 'limit' ? 'length' : (isOfModel && finishOf(finishReason)) || 'stop'
  return { type: 'finish', reason, usage: usageOfRun(usage) }
}

function usageOfRun({
  inputTokens,
  outputTokens,
  inputTokenDetails,
  outputTokenDetails,
}: Usage): AnswerUsage {
  return {
    input: inputTokens ?? 0,
    output: outputTokens ?? 0,
    cached: inputTokenDetails.cacheReadTokens,
    reasoning: outputTokenDetails.reasoningTokens,
  }
}
