import type { LanguageModelV4, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import { type Agent, MillraceError, type RunResult, type Usage } from '@millrace/core'
import type { Settings } from '../options.ts'
import { type Call, toAgentInput, toCallOptions } from './call.ts'
import { InvalidRequest, Rejected } from './openai-error.ts'

/** A part of an answer, in the order of generation. The last one is `finish`. */
export type AnswerPart =
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

async function* partsOfStream(
  stream: Awaited<ReturnType<LanguageModelV4['doStream']>>['stream'],
): AsyncGenerator<AnswerPart> {
  /** By id of a tool call: whether any of its input has arrived. */
  const calls = new Map<string, boolean>()
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta':
        yield { type: 'text', text: part.delta }
        break
      case 'reasoning-delta':
        yield { type: 'reasoning', text: part.delta }
        break
      case 'tool-input-start':
        if (part.providerExecuted) break
        calls.set(part.id, false)
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
        yield { type: 'call-end', id }
        break
      }
      case 'error':
        throw part.error
      case 'finish':
        yield finish(part.finishReason, { hasCalls: calls.size > 0, usage: part.usage })
        return
    }
  }
}

function finish(
  { unified }: LanguageModelV4FinishReason,
  { hasCalls, usage }: { hasCalls: boolean; usage: LanguageModelV4Usage },
): AnswerPart {
  const { inputTokens, outputTokens } = usage
  return {
    type: 'finish',
    reason: hasCalls ? 'tool_calls' : finishOf(unified),
    usage: {
      input: inputTokens.total ?? 0,
      output: outputTokens.total ?? 0,
      cached: inputTokens.cacheRead,
      reasoning: outputTokens.reasoning,
    },
  }
}

function finishOf(reason: LanguageModelV4FinishReason['unified']): AnswerFinish {
  switch (reason) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    default:
      return 'stop'
  }
}

/** An agent answers as a model. The caller does not see its tool calls. */
async function answerWithAgent(
  agent: Agent,
  call: Call,
  { signal, resourceId, threadId }: AnswerOptions,
): Promise<AsyncGenerator<AnswerPart>> {
  const input = toAgentInput(call)
  const options = { abortSignal: signal, resourceId, threadId }
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
  const result = await accepted(run.result)
  if (result.status !== 'aborted') yield finishOfRun(result)
}

/** @throws Rejected, or InvalidRequest for a suspended run, which is released: these protocols cannot resume it */
async function accepted(running: Promise<RunResult>): Promise<RunResult> {
  const result = await running
  if (result.status === 'tripwire') throw new Rejected(result.rejection)
  if (result.status !== 'suspended') return result
  await result.suspension.release()
  throw new InvalidRequest(
    'model',
    'The agent waits for an approval, which this protocol cannot send. Use the chat route for this agent.',
  )
}

function finishOfRun({ status, usage }: RunResult): AnswerPart {
  return { type: 'finish', reason: status === 'limit' ? 'length' : 'stop', usage: usageOfRun(usage) }
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
