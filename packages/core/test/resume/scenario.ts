import {
  Agent,
  type HookName,
  type JSONValue,
  type Message,
  type Processor,
  type RunResult,
  type RunStore,
  Suspend,
  type Tool,
  tool,
} from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import { fail, finish, ScriptedModel, text, tokens, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** A place a run can wait at: the n-th time it gets there. */
export interface Stop {
  at: string
  visit: number
}

export interface ScenarioOptions {
  storage: RunStore
  /** Where the run waits. `undefined`: nowhere. `'everywhere'`: at every place, each time. */
  stop?: Stop | 'everywhere' | undefined
  emit?: 'live' | 'step'
  /** Leaves this processor or tool out, as a deployment might. */
  without?: string
}

export interface Scenario {
  agent: Agent
  /** Places the run came by, in order. */
  visits: string[]
  /** Tools that ran to their end, with what they got. */
  executed: string[]
  /** How often each hook was called in the whole run, before and behind the place where it waits. */
  counted: Record<string, unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of any hook
type HookArgs = any

const HOOKS = [
  'processInput',
  'processInputStep',
  'wrapModelCall',
  'processModelError',
  'processOutputStep',
  'processToolCall',
  'processToolResult',
  'processToolStep',
  'processOutputResult',
] as const satisfies readonly HookName[]

/**
 * A run of three steps with a failing model call, parallel tools, a denial, a rewritten input, an approval, a tool at
 * the client and a tool that waits; and processors that count, redact and rewrite. Built alike in every process.
 */
export function scenario({ storage, stop, emit = 'live', without }: ScenarioOptions): Scenario {
  const visits: string[] = []
  const executed: string[] = []
  const counted: Record<string, unknown> = {}
  /** Visits of a place, counted in the run's own state: they go on in another process. */
  const waits = (at: string, counts: Record<string, unknown>): boolean => {
    visits.push(at)
    if (stop === 'everywhere') return true
    const visit = Number(counts[at] ?? 0) + 1
    counts[at] = visit
    return stop?.at === at && stop.visit === visit
  }

  const stopper: Record<string, unknown> = { id: 'stopper' }
  for (const hook of HOOKS) {
    stopper[hook] = (args: HookArgs): unknown => {
      const goOn = hook === 'wrapModelCall' ? () => args.next(args.request) : () => undefined
      if (args.resumeData !== undefined) return goOn()
      if (waits(hook, args.state)) args.suspend({ waitsAt: hook })
      return goOn()
    }
  }

  const counter = (id: string, hooks: readonly HookName[]): Processor => {
    const processor: Record<string, unknown> = { id }
    for (const hook of hooks) {
      processor[hook] = (args: HookArgs): unknown => {
        args.state[hook] = Number(args.state[hook] ?? 0) + 1
        return hook === 'wrapModelCall' ? args.next(args.request) : undefined
      }
    }
    processor.processDelivery = ({ state, result }: HookArgs): void => {
      if (result && result.status !== 'suspended') counted[id] = { ...state }
    }
    return processor as unknown as Processor
  }

  const processors: Processor[] = [
    {
      id: 'editor',
      processInput: ({ messageList, systemMessages }) => {
        messageList.add(note, 'context')
        return { systemMessages: [...systemMessages, { role: 'system', content: 'Added by the editor.' }] }
      },
      processInputStep: ({ systemMessages, stepNumber }) => ({
        systemMessages: [...systemMessages, { role: 'system', content: `Step ${stepNumber}.` }],
        modelSettings: { temperature: stepNumber / 10 },
      }),
      processOutputStream: ({ part, state }) => {
        state.chunks = Number(state.chunks ?? 0) + 1
        return part.type === 'text-delta'
          ? { ...part, textDelta: part.textDelta.replace('raw', 'fine') }
          : part
      },
      processToolCall: ({ toolCall }) => {
        if (toolCall.toolName === 'add') return { input: { ...(toolCall.input as object), by: '2' } }
        return toolCall.toolName === 'erase' ? { deny: 'Nothing is erased here.' } : undefined
      },
      processToolResult: ({ output, status }) =>
        status === 'success' && typeof output === 'string'
          ? { output: output.replace('secret', '[REDACTED]') }
          : undefined,
      processOutputStep: ({ text, retryCount, abort }) => {
        if (text.includes('bad') && retryCount === 0) abort('Not like that.', { retry: true })
      },
      processOutputResult: ({ messages }) =>
        messages.map((message) => ({
          ...message,
          content: {
            ...message.content,
            parts: message.content.parts.map((part) =>
              part.type === 'text' ? { ...part, text: part.text.replace('Done', 'All done') } : part,
            ),
          },
        })),
    },
    // The onion around a model call that waits is entered anew, so the outer layer is called again.
    counter(
      'before',
      HOOKS.filter((hook) => hook !== 'wrapModelCall'),
    ),
    stopper as unknown as Processor,
    counter('behind', HOOKS),
    {
      id: 'rescuer',
      processModelError: () => ({ retry: true, request: { modelSettings: { temperature: 1 } } }),
    },
  ]

  /** Stops a tool or an approval: these have no state of their own but what the run was resumed with. */
  const stopsTool = (at: string): boolean => {
    visits.push(at)
    return stop === 'everywhere' || (typeof stop === 'object' && stop.at === at)
  }
  const run = (name: string, input: unknown): void => {
    executed.push(`${name} ${JSON.stringify(input)}`)
  }
  const tools = {
    add: tool({
      inputSchema: z.object({ a: z.coerce.number(), by: z.coerce.number() }),
      execute: async (input) => {
        await Promise.resolve()
        run('add', input)
        return { sum: input.a + input.by }
      },
    }),
    read: tool({
      inputSchema: z.object({ path: z.string() }),
      execute: (input) => {
        run('read', input)
        return `The secret of ${input.path}`
      },
    }),
    fails: tool({
      inputSchema: z.object({}),
      execute: (input) => {
        run('fails', input)
        throw new Error('broken')
      },
    }),
    erase: tool({ inputSchema: z.object({}), execute: (input) => run('erase', input) }),
    approved: {
      ...tool({
        inputSchema: z.object({}),
        execute: (input) => {
          run('approved', input)
          return 'approved'
        },
      }),
      needsApproval: () => stopsTool('approval'),
    },
    waits: tool({
      inputSchema: z.object({}),
      execute: (input, { resumeData }) => {
        if (resumeData === undefined && stopsTool('execute')) throw new Suspend({ waitsAt: 'execute' })
        run('waits', input)
        return 'waited'
      },
    }),
    client: {
      inputSchema: z.object({}),
      ...(!(stop === 'everywhere' || (typeof stop === 'object' && stop.at === 'client')) && {
        execute: () => {
          visits.push('client')
          return AT_THE_CLIENT
        },
      }),
    },
  }

  const agent = new Agent({
    name: 'scenario',
    model: new ScriptedModel(({ prompt, temperature }) => {
      const results = prompt.filter(({ role }) => role === 'tool').length
      const usage = finish({
        reason: results < 2 ? 'tool-calls' : 'stop',
        usage: tokens({ input: 10 + results, output: 5 }),
      })
      // Tells a call made again from the first by its settings, so that it needs no memory of its own.
      if (results === 0 && temperature !== 1) return [text('Half of '), fail(new Error('broke off'))]
      if (results === 0) {
        return [
          'A raw look. ',
          toolCall('add', { a: '1' }, { id: 'a' }),
          toolCall('erase', {}, { id: 'b' }),
          toolCall('read', { path: '/x' }, { id: 'c' }),
          toolCall('fails', {}, { id: 'd' }),
          toolCall('none', {}, { id: 'e' }),
          usage,
        ]
      }
      if (results === 1) {
        return [
          'Three more. ',
          toolCall('waits', {}, { id: 'f' }),
          toolCall('approved', {}, { id: 'g' }),
          toolCall('client', {}, { id: 'h' }),
          toolCall('read', { path: '/y' }, { id: 'i' }),
          usage,
        ]
      }
      const retried = JSON.stringify(prompt.at(-1)).includes('Not like that.')
      return [retried ? 'Done.' : 'A bad end.', usage]
    }),
    modelSettings: { maxRetries: 0 },
    instructions: 'Be brief.',
    storage,
    emit,
    tools: Object.fromEntries(Object.entries<Tool>(tools).filter(([name]) => name !== without)),
    processors: processors.filter(({ id }) => id !== without),
  })
  return { agent, visits, executed, counted }
}

const AT_THE_CLIENT = { place: 'Oslo' }

/** What a suspended run waits for, answered. */
export function answerTo(payload: unknown): JSONValue {
  const answers = waitingCallsOf(payload).map(({ toolCallId, waitsFor }): [string, JSONValue] => [
    toolCallId,
    waitsFor === 'approval' ? { approved: true } : waitsFor === 'output' ? AT_THE_CLIENT : { goOn: true },
  ])
  return answers.length > 0 ? Object.fromEntries(answers) : { goOn: true }
}

const note: Message = {
  id: 'note',
  role: 'user',
  createdAt: new Date(0),
  content: { parts: [{ type: 'text', text: 'A note.' }] },
}

/** The input of every run: text, and an attachment that is JSON itself. */
export const INPUT: Message[] = [
  {
    id: 'input',
    role: 'user',
    createdAt: new Date(0),
    content: {
      parts: [
        { type: 'text', text: 'Do it.' },
        {
          type: 'file',
          mediaType: 'application/json',
          filename: 'a.json',
          url: `data:application/json;base64,${btoa('{"nested":{"json":[1,null]}}')}`,
        },
      ],
    },
  },
]

/** What of a result must not depend on whether the run was interrupted: all but ids and times. */
export function essence(result: RunResult): unknown {
  const { status, text, finishReason, usage, steps, messages, warnings } = result
  return JSON.parse(
    JSON.stringify({
      status,
      text,
      finishReason,
      usage,
      warnings,
      messages: messages.map(({ role, content }) => ({ role, parts: content.parts.map(withoutApproval) })),
      // A scripted model built anew counts its responses anew.
      steps: steps.map(({ durationMs: _, processors: __, response: ___, ...step }) => step),
    }),
  )
}

/** Who was asked for approval stands in the message of a run that asked. */
function withoutApproval(part: object): object {
  const { approval: _, ...rest } = part as { approval?: unknown }
  return rest
}
