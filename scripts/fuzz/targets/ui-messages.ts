import { Agent, type Message, type Processor, parseUIMessages, tool, type UIMessage } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'
import { type FuzzTarget, hold, same } from '../target.ts'
import { holdPaired, holdStated } from './prompt.ts'

interface Request {
  /** The body of the request. `$run` in a text is replaced by the id of the suspended run. */
  body: unknown
  /** Whether the agent has a memory. */
  remembers?: unknown
  /** Whether the body is passed to the agent without `parseUIMessages`. */
  unparsed?: unknown
}

const INSTRUCTIONS = 'Answer briefly.'
const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Refund 5, please.' }] }
const call = { type: 'tool-refund', toolCallId: 'call-1', input: { amount: 5_000 } }
const assistant = (...parts: unknown[]) => ({ id: 'a', role: 'assistant', parts })
const approval = { id: '$run:call-1', approved: true, reason: 'fine' }
const suspended = { type: 'data-suspended', data: { runId: '$run', payload: {} } }
const answered = { ...call, state: 'output-available', output: 'refunded 5000' }

/** Any body is refused with a clear error, or the run ends normally. */
export const uiMessages: FuzzTarget = {
  covers: [
    'packages/core/src/ui',
    'packages/core/src/messages',
    'packages/core/src/run',
    'packages/core/src/loop',
    'packages/core/src/agent',
    'packages/core/src/tools',
  ],
  dictionary: [
    ...[
      'body',
      'remembers',
      'unparsed',
      'id',
      'role',
      'parts',
      'metadata',
      'type',
      'text',
      'state',
      'content',
    ],
    ...[
      'system',
      'user',
      'assistant',
      'tool',
      'reasoning',
      'step-start',
      'file',
      'source-url',
      'source-document',
    ],
    ...[
      'tool-refund',
      'tool-ask',
      'dynamic-tool',
      'toolName',
      'toolCallId',
      'call-1',
      'call-2',
      'input',
      'output',
    ],
    ...['input-streaming', 'input-available', 'approval-requested', 'approval-responded', 'output-available'],
    ...[
      'output-error',
      'output-denied',
      'errorText',
      'approval',
      'approved',
      'reason',
      '$run',
      '$run:call-1',
    ],
    ...[
      'data-suspended',
      'data',
      'runId',
      'resumed',
      'providerExecuted',
      'preliminary',
      'custom',
      'kind',
      'url',
    ],
    ...[
      'steering-message',
      'mediaType',
      'text/plain',
      'data:text/plain;base64,QQ==',
      'tool-call',
      'tool-result',
    ],
    ...['providerMetadata', 'toolMetadata', 'rawInput', 'createdAt', 'resourceId', 'threadId', 'filename'],
  ],
  seeds: () => [
    { body: [user] },
    { body: [user, assistant({ type: 'step-start' }, { type: 'text', text: 'No.' }), user], remembers: true },
    { body: [{ ...user, role: 'system' }, user] },
    { body: [user, assistant({ ...call, state: 'approval-responded', approval })] },
    {
      body: [user, assistant({ ...call, state: 'approval-responded', approval }, suspended)],
      remembers: true,
    },
    {
      body: [
        user,
        assistant({ ...call, state: 'approval-requested', approval: { id: '$run:call-1' } }),
        user,
      ],
    },
    { body: [user, assistant(answered), user] },
    { body: [user, assistant(answered, suspended)] },
    { body: [user, assistant({ ...call, state: 'output-error', errorText: 'No.' }), user] },
    {
      body: [
        user,
        assistant({ ...call, type: 'dynamic-tool', toolName: 'ask', state: 'input-streaming' }),
        user,
      ],
    },
    {
      body: [
        user,
        assistant(
          { type: 'reasoning', text: 'Hm.' },
          { type: 'source-url', sourceId: 's', url: 'https://example.com' },
          { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;base64,QQ==' },
          { type: 'steering-message', id: 'm', parts: [{ type: 'text', text: 'Also this.' }] },
        ),
        { ...user, parts: [{ type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' }] },
      ],
    },
    { body: [{ id: 'm', role: 'user', content: { parts: [{ type: 'text', text: 'Hi' }] } }], unparsed: true },
    { body: [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call-1' }] }], unparsed: true },
    { body: { messages: [user] } },
    { body: 'Hi' },
  ],
  async run(input) {
    const { body, remembers, unparsed } = (input ?? {}) as Request
    const executed: unknown[] = []
    const model = new ScriptedModel([toolCall('refund', { amount: 5 }), ...Array(8).fill('Done.')])
    const agent = new Agent({
      model,
      instructions: INSTRUCTIONS,
      storage: new InMemoryRunStore(),
      tools: {
        refund: tool({
          inputSchema: z.object({ amount: z.number() }),
          needsApproval: true,
          execute: (given) => executed.push(given),
        }),
        ask: { inputSchema: z.object({ question: z.string() }) },
      },
      ...(remembers === true && { memory: historyOf() }),
    })
    const { suspension } = await agent.generate('Please.', { threadId: 't' })
    const sent = withRun(body, String(suspension?.runId))
    let messages: UIMessage[]
    try {
      messages = unparsed === true ? (sent as UIMessage[]) : parseUIMessages(sent)
    } catch (error) {
      return holdStated(error)
    }
    if (unparsed !== true) hold(same(parseUIMessages(messages), messages), () => 'parsed again, it differs')
    try {
      const stream = agent.stream(messages, { threadId: 't' })
      for await (const _ of stream.toUIMessageStream()) {
        // Reads to the end.
      }
      await stream.result
    } catch (error) {
      holdStated(error)
    }
    hold(executed.length <= 1 && executed.every((given) => same(given, { amount: 5 })), () => {
      return `executed with ${JSON.stringify(executed)}`
    })
    hold(
      executed.length === 0 || JSON.stringify(body).includes('"approved":true'),
      () => 'nobody has approved',
    )
    for (const { prompt } of model.calls) {
      holdPaired(prompt)
      if (unparsed === true) continue
      const system = prompt.filter(({ role }) => role === 'system').map(({ content }) => content)
      hold(same(system, [INSTRUCTIONS]), () => `the model's instructions were ${JSON.stringify(system)}`)
    }
  },
}

/** A minimal memory. */
function historyOf(): { getInputProcessors: () => Processor[]; getOutputProcessors: () => Processor[] } {
  const stored: Message[] = []
  const history: Processor = {
    id: 'history',
    processInput({ messageList }) {
      const ids = new Set(messageList.get().map(({ id }) => id))
      messageList.add(structuredClone(stored.filter(({ id }) => !ids.has(id))), 'remembered')
    },
    processOutputResult({ messageList }) {
      stored.push(...structuredClone([...messageList.get('input'), ...messageList.get('response')]))
    },
  }
  return { getInputProcessors: () => [history], getOutputProcessors: () => [history] }
}

function withRun(body: unknown, runId: string): unknown {
  return body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll('$run', runId))
}
