import { createRoute, z } from '@hono/zod-openapi'
import {
  type Agent,
  MillraceError,
  parseUIMessages,
  type UIMessageChunk,
  type UIMessageStreamOptions,
} from '@millrace/core'
import { EVENT_HEADERS } from '../events.ts'
import type { AnswerRun } from '../streams/answer-streams.ts'
import { type App, Refused, type RouteContext, reporter } from './app.ts'
import { callerOptions } from './approver.ts'
import { AgentParams, AgentThreadParams, errors, events, json, threadId, UIMessageBody } from './schemas.ts'
import { type BodyFields, misspelledField } from './unknown-fields.ts'
import { userMessageMetadataOf } from './user-message-metadata.ts'

/** As the AI SDK's `DefaultChatTransport` sends it. Other fields are ignored, unless they are like a guarding one. */
const ChatBody = z
  .looseObject({
    id: threadId,
    messages: z.array(UIMessageBody).min(1),
    trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
    messageId: z.string().optional(),
  })
  .openapi('ChatRequest')

const SERVER_DECIDES = 'The server sets the limits, tools and guards of an agent. Remove the field.'
const IN_MESSAGES = 'An approval is part of a message, or is sent to the resume route.'

const CHAT_FIELDS: BodyFields = {
  route: 'chat',
  known: Object.keys(ChatBody.shape),
  guarding: {
    trigger: undefined,
    ...Object.fromEntries(['approved', 'approval', 'approvals'].map((name) => [name, IN_MESSAGES])),
    ...Object.fromEntries(
      [
        'toolApproval',
        'needsApproval',
        'maxSteps',
        'maxTokens',
        'maxOutputTokens',
        'activeTools',
        'toolChoice',
        'processors',
        'inputProcessors',
        'outputProcessors',
        'guardrails',
      ].map((name) => [name, SERVER_DECIDES]),
    ),
  },
}

const chat = createRoute({
  method: 'post',
  path: '/agents/{agent}/chat',
  summary: 'Sends a message, or the answer that a run waits for. Streams the response',
  request: { params: AgentParams, body: { required: true, content: json(ChatBody) } },
  responses: { 200: events, ...errors },
})

const reconnect = createRoute({
  method: 'get',
  path: '/agents/{agent}/chat/{threadId}/stream',
  summary: 'Reads the answer in progress, from its beginning or from a chunk',
  request: {
    params: AgentThreadParams,
    query: z.object({ from: z.coerce.number().int().min(0).default(0) }),
  },
  responses: { 200: events, 204: { description: 'No answer is in progress' }, ...errors },
})

const stop = createRoute({
  method: 'post',
  path: '/agents/{agent}/chat/{threadId}/stop',
  summary: 'Stops the answer in progress',
  request: { params: AgentThreadParams },
  responses: {
    200: {
      description: 'Whether an answer was in progress',
      content: json(z.object({ stopped: z.boolean() })),
    },
    ...errors,
  },
})

/** The headers of a UI message stream. */
export const UI_HEADERS = { ...EVENT_HEADERS, 'x-vercel-ai-ui-message-stream': 'v1' }

export function chatRoutes(app: App, { settings, answers }: RouteContext): void {
  app.openapi(chat, async (context) => {
    const name = context.req.valid('param').agent
    const agent = agentOf(settings.agents, name)
    const body = context.req.valid('json')
    const found = misspelledField(body, CHAT_FIELDS)
    if (found) throw new Refused(400, 'REQUEST_INVALID', found.message)
    const messages = parseUIMessages(body.messages, { maxMessages: settings.limits.maxMessages })
    const resourceId = context.get('resourceId')
    const conversation = { agent: name, resourceId, threadId: body.id }
    const userMessageMetadata = await userMessageMetadataOf(context.req.raw, settings)
    const stream = await answers.begin(conversation, {
      open: (abortSignal) =>
        answerRun(
          agent.stream(messages, {
            threadId: body.id,
            resourceId,
            userMessageMetadata,
            abortSignal,
            ...callerOptions(context, settings),
          }),
        ),
      onError: reporter(context, settings),
    })
    return new Response(stream, { headers: UI_HEADERS })
  })

  app.openapi(reconnect, async (context) => {
    const { agent, threadId } = context.req.valid('param')
    agentOf(settings.agents, agent)
    const { from } = context.req.valid('query')
    const conversation = { agent, threadId, resourceId: context.get('resourceId') }
    const stream = await answers.reconnect(conversation, { from, onError: reporter(context, settings) })
    return stream ? new Response(stream, { headers: UI_HEADERS }) : new Response(null, { status: 204 })
  })

  app.openapi(stop, async (context) => {
    const { agent, threadId } = context.req.valid('param')
    agentOf(settings.agents, agent)
    const stopped = await answers.stop({ agent, threadId, resourceId: context.get('resourceId') })
    return context.json({ stopped }, 200)
  })
}

/** @throws Refused 404 */
export function agentOf(agents: Readonly<Record<string, Agent>>, name: string): Agent {
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
  if (!agent) throw new Refused(404, 'AGENT_NOT_FOUND', `There is no agent '${name}'.`)
  return agent
}

/** An agent's run as an answer. Of server faults, clients get only the code. */
export function answerRun(run: {
  toUIMessageChunks: (options: UIMessageStreamOptions) => AsyncIterable<UIMessageChunk>
  readonly result: Promise<unknown>
}): AnswerRun {
  let opening: readonly UIMessageChunk[] | undefined
  const chunks = run.toUIMessageChunks({
    onError: (error) => (MillraceError.isInstance(error) ? clientText(error) : 'The answer failed.'),
    onContinue: (given) => {
      opening = given
    },
  })
  return { chunks, opening: () => opening, result: () => run.result }
}

function clientText({ code, message, statusCode }: MillraceError): string {
  return statusCode < 500 ? `${code}: ${message}` : code
}
