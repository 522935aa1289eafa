import type { LanguageModelV4, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Agent, Usage } from '@millrace/core'
import type { Settings } from '../options.ts'
import { type Call, toAgentInput, toCallOptions } from './call.ts'
import { InvalidRequest, Rejected } from './openai-error.ts'

/** A part of an answer, in the order in which it is made. The last one is `finish`. */
export type AnswerPart =
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'call-start'; id: string; name: string }
  /** A piece of the call's arguments, as JSON. */
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

export interface Asking {
  settings: Settings
  resourceId: string
  /** Names the conversation of an agent's run. */
  threadId: string
  signal: AbortSignal
}

/**
 * Asks the agent or proxied model that the call names. Streams where the call does, else makes the whole answer first.
 *
 * @throws InvalidRequest, {@link Rejected}, or what the model throws; from the parts too
 */
export async function answer(call: Call, asking: Asking): Promise<AsyncGenerator<AnswerPart>> {
  const { agents, proxy, limits } = asking.settings
  if (call.prompt.length > limits.maxMessages) {
    throw new InvalidRequest(
      call.fields.messages,
      `There are ${call.prompt.length} messages, and ${limits.maxMessages} are taken.`,
    )
  }
  if (Object.hasOwn(proxy, call.model)) return byModel(proxy[call.model] as LanguageModelV4, call, asking)
  if (Object.hasOwn(agents, call.model)) return byAgent(agents[call.model] as Agent, call, asking)
  throw modelNotFound(call.model)
}

export function modelNotFound(model: string): InvalidRequest {
  return new InvalidRequest('model', `There is no model '${model}'.`, {
    status: 404,
    code: 'model_not_found',
  })
}

/** A program's call of a model with guards around it: all of the request goes through them. */
async function byModel(
  model: LanguageModelV4,
  call: Call,
  { signal }: Asking,
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
  /** Calls by id: whether any of their input has come. */
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

/** An agent as a model: the caller is a client, and its tools are its own affair. */
async function byAgent(
  agent: Agent,
  call: Call,
  { signal, resourceId, threadId }: Asking,
): Promise<AsyncGenerator<AnswerPart>> {
  const input = toAgentInput(call)
  const options = { abortSignal: signal, resourceId, threadId }
  if (call.stream) {
    return partsOfRun(agent.stream(input, options), (runId) => agent.release(runId, { resourceId }))
  }
  const result = await agent.generate(input, options)
  if (result.status === 'tripwire') throw new Rejected(result.rejection)
  if (result.status === 'suspended') {
    await result.suspension.release()
    throw suspended()
  }
  const { text, status, usage } = result
  return (async function* (): AsyncGenerator<AnswerPart> {
    yield { type: 'text', text }
    yield { type: 'finish', reason: status === 'limit' ? 'length' : 'stop', usage: usageOfRun(usage) }
  })()
}

/** Text as it is accepted: in these protocols nothing can be taken back. */
async function* partsOfRun(
  run: ReturnType<Agent['stream']>,
  release: (runId: string) => Promise<unknown>,
): AsyncGenerator<AnswerPart> {
  for await (const chunk of run.fullStream) {
    switch (chunk.type) {
      case 'text-delta':
        yield { type: 'text', text: chunk.textDelta }
        break
      case 'step-discarded':
      case 'response-replaced':
        throw new Rejected({ reason: 'Text that was sent was taken back. Send the request again.' })
      case 'tripwire':
        throw new Rejected(chunk)
      case 'suspended':
        await release(chunk.runId)
        throw suspended()
      case 'error':
        throw chunk.error
      case 'finish':
        yield {
          type: 'finish',
          reason: chunk.status === 'limit' ? 'length' : 'stop',
          usage: usageOfRun(chunk.usage),
        }
        break
    }
  }
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

/** The run has been given up: these protocols have no way to find it. */
function suspended(): InvalidRequest {
  return new InvalidRequest(
    'model',
    'The agent waits for an approval, which this protocol has no form for. Use the chat route for this agent.',
  )
}
