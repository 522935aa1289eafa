import type { LanguageModelV4 } from '@ai-sdk/provider'
import { createRoute, z } from '@hono/zod-openapi'
import type { Agent } from '@millrace/core'
import { EVENT_HEADERS, toEvents } from '../events.ts'
import type { App, Parts } from '../routes/app.ts'
import { json } from '../routes/schemas.ts'
import { ChatRequest, toAgentInput, toCallOptions } from './chat-request.ts'
import {
  type CompletionHead,
  type CompletionToolCall,
  completion,
  completionChunk,
  finishOf,
  newHead,
  usageChunk,
  usageOfModel,
  usageOfRun,
} from './completion.ts'
import { fault, InvalidRequest, Rejected, toOpenAIError } from './openai-error.ts'

const OpenAIErrorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .openapi('OpenAIError')

const route = createRoute({
  method: 'post',
  path: '/v1/chat/completions',
  summary: 'OpenAI’s chat completions, answered by an agent or by a proxied model',
  request: { body: { required: true, content: json(ChatRequest) } },
  responses: {
    200: {
      description: 'The completion; with `stream`, its chunks as server-sent events',
      content: { ...json(z.looseObject({})), 'text/event-stream': { schema: z.string() } },
    },
    400: { description: 'The request is not valid, or was rejected', content: json(OpenAIErrorBody) },
    404: { description: 'There is no such model', content: json(OpenAIErrorBody) },
  },
})

export function chatCompletions(app: App, { settings }: Parts): void {
  app.openapi(
    route,
    async (context) => {
      const request = context.req.valid('json')
      const { agents, proxy, onError, limits } = settings
      const signal = context.req.raw.signal
      try {
        if ((request.n ?? 1) !== 1)
          throw new InvalidRequest('n', `n is ${request.n}. One answer is made: leave n out.`)
        if (request.messages.length > limits.maxMessages) {
          throw new InvalidRequest(
            'messages',
            `There are ${request.messages.length} messages, and ${limits.maxMessages} are taken.`,
          )
        }
        if (Object.hasOwn(proxy, request.model)) {
          return (await answerByModel(proxy[request.model] as LanguageModelV4, request, signal)) as never
        }
        if (Object.hasOwn(agents, request.model)) {
          const resourceId = context.get('resourceId')
          return (await answerByAgent(agents[request.model] as Agent, request, {
            signal,
            resourceId,
          })) as never
        }
        const { status, body } = fault(
          404,
          'invalid_request_error',
          `There is no model '${request.model}'.`,
          {
            param: 'model',
            code: 'model_not_found',
          },
        )
        return Response.json(body, { status }) as never
      } catch (error) {
        const { status, body } = toOpenAIError(error)
        if (status >= 500) onError(error, context.req.raw)
        return Response.json(body, { status }) as never
      }
    },
    (result) => {
      if (result.success) return undefined
      const [issue] = result.error.issues
      const { status, body } = fault(
        400,
        'invalid_request_error',
        issue?.message ?? 'The request is not valid.',
        {
          param: issue?.path.join('.') || null,
        },
      )
      return Response.json(body, { status })
    },
  )
}

/** A program's call of a model with guards around it: all of the request goes through them. */
async function answerByModel(
  model: LanguageModelV4,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<Response> {
  const head = newHead(request.model)
  const options = toCallOptions(request, signal)
  if (!request.stream) {
    const { content, finishReason, usage } = await model.doGenerate(options)
    const toolCalls = content.flatMap((part): CompletionToolCall[] =>
      part.type === 'tool-call' && !part.providerExecuted
        ? [
            {
              id: part.toolCallId,
              type: 'function',
              function: { name: part.toolName, arguments: part.input },
            },
          ]
        : [],
    )
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const finish = toolCalls.length > 0 ? 'tool_calls' : finishOf(finishReason.unified)
    return Response.json(completion(head, { text, toolCalls, finish, usage: usageOfModel(usage) }))
  }
  const { stream } = await model.doStream(options)
  return eventResponse(modelChunks(head, stream, Boolean(request.stream_options?.include_usage)))
}

async function* modelChunks(
  head: CompletionHead,
  stream: Awaited<ReturnType<LanguageModelV4['doStream']>>['stream'],
  withUsage: boolean,
): AsyncGenerator<object> {
  const calls = new Map<string, number>()
  /** Calls whose input came piece by piece. */
  const streamed = new Set<string>()
  yield completionChunk(head, { role: 'assistant', content: '' })
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta':
        yield completionChunk(head, { content: part.delta })
        break
      case 'tool-input-start': {
        if (part.providerExecuted) break
        const index = calls.size
        calls.set(part.id, index)
        yield completionChunk(head, {
          tool_calls: [
            { index, id: part.id, type: 'function', function: { name: part.toolName, arguments: '' } },
          ],
        })
        break
      }
      case 'tool-input-delta': {
        const index = calls.get(part.id)
        if (index === undefined) break
        streamed.add(part.id)
        yield completionChunk(head, { tool_calls: [{ index, function: { arguments: part.delta } }] })
        break
      }
      case 'tool-call': {
        if (part.providerExecuted || streamed.has(part.toolCallId)) break
        const known = calls.get(part.toolCallId)
        const index = known ?? calls.size
        calls.set(part.toolCallId, index)
        const called = { name: part.toolName, arguments: part.input }
        yield completionChunk(head, {
          tool_calls: [
            {
              index,
              ...(known === undefined && { id: part.toolCallId, type: 'function' }),
              function: called,
            },
          ],
        })
        break
      }
      case 'error':
        throw part.error
      case 'finish':
        yield completionChunk(head, {}, calls.size > 0 ? 'tool_calls' : finishOf(part.finishReason.unified))
        if (withUsage) yield usageChunk(head, usageOfModel(part.usage))
        break
    }
  }
}

/** An agent as a model: the caller is a client, and its tools are its own affair. */
async function answerByAgent(
  agent: Agent,
  request: ChatRequest,
  { signal, resourceId }: { signal: AbortSignal; resourceId: string },
): Promise<Response> {
  const head = newHead(request.model)
  const input = toAgentInput(request)
  const options = { abortSignal: signal, resourceId, threadId: head.id }
  if (!request.stream) {
    const result = await agent.generate(input, options)
    if (result.status === 'tripwire') {
      throw new Rejected(result.rejection.reason)
    }
    if (result.status === 'suspended') {
      await result.suspension.release()
      throw suspended()
    }
    const finish = result.status === 'limit' ? 'length' : 'stop'
    return Response.json(completion(head, { text: result.text, finish, usage: usageOfRun(result.usage) }))
  }
  return eventResponse(
    agentChunks(head, agent.stream(input, options), {
      withUsage: Boolean(request.stream_options?.include_usage),
      release: (runId) => agent.release(runId, { resourceId }),
    }),
  )
}

/** Text as it is accepted: in this protocol nothing can be taken back. */
async function* agentChunks(
  head: CompletionHead,
  run: ReturnType<Agent['stream']>,
  { withUsage, release }: { withUsage: boolean; release: (runId: string) => Promise<unknown> },
): AsyncGenerator<object> {
  yield completionChunk(head, { role: 'assistant', content: '' })
  for await (const chunk of run.fullStream) {
    switch (chunk.type) {
      case 'text-delta':
        yield completionChunk(head, { content: chunk.textDelta })
        break
      case 'step-discarded':
      case 'response-replaced':
        throw new Rejected('Text that was sent was taken back. Send the request again.')
      case 'tripwire':
        throw new Rejected(chunk.reason)
      case 'suspended':
        await release(chunk.runId)
        throw suspended()
      case 'error':
        throw chunk.error
      case 'finish':
        yield completionChunk(head, {}, chunk.status === 'limit' ? 'length' : 'stop')
        if (withUsage) yield usageChunk(head, usageOfRun(chunk.usage))
        break
    }
  }
}

/** The run has been given up: this protocol has no way to find it. */
function suspended(): InvalidRequest {
  return new InvalidRequest(
    'model',
    'The agent waits for an approval, which this protocol has no form for. Use the chat route for this agent.',
  )
}

function eventResponse(chunks: AsyncGenerator<object>): Response {
  return new Response(toEvents(textsOf(chunks)), { headers: EVENT_HEADERS })
}

/** The status has been sent: clients of OpenAI throw what an event says under `error`. */
async function* textsOf(chunks: AsyncGenerator<object>): AsyncGenerator<string> {
  try {
    for await (const chunk of chunks) yield JSON.stringify(chunk)
  } catch (error) {
    yield JSON.stringify(toOpenAIError(error).body)
  }
}
