import {
  Agent,
  type Message,
  MillraceError,
  type Processor,
  type RunResult,
  tool,
  userMessage,
} from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import { InMemoryRunStore } from '@millrace/core/storage'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { UnicodeNormalizer } from '@millrace/guards/unicode-normalizer'
import { PIIDetector } from '@millrace/pii'
import { ApprovalGate } from '@millrace/steering/approval-gate'
import { AuditLog } from '@millrace/steering/audit-log'
import { BatchParts } from '@millrace/steering/batch-parts'
import { LargeMessageSummarizer } from '@millrace/steering/large-message-summarizer'
import { LoopDetector } from '@millrace/steering/loop-detector'
import { MaxToolCallsGuard } from '@millrace/steering/max-tool-calls-guard'
import { ModelFallback } from '@millrace/steering/model-fallback'
import { ModelRouter } from '@millrace/steering/model-router'
import { ResponseCache } from '@millrace/steering/response-cache'
import { ToolAllowList } from '@millrace/steering/tool-allow-list'
import { ToolCallFilterProcessor } from '@millrace/steering/tool-call-filter'
import { ToolSearch } from '@millrace/steering/tool-search'
import {
  fail,
  finish,
  reasoning,
  refuse,
  ScriptedModel,
  type TurnContent,
  toolCall,
  toolResult,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { TokenLimiterProcessor } from '@millrace/tokens'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'

expect.extend(matchers)

const number = z.object({ n: z.number().max(8) })
const hidden = {
  find_bill: tool({ description: 'Finds a bill', inputSchema: number, execute: ({ n }) => ({ bill: n }) }),
}
const search = new ToolSearch({ tools: hidden })
const tools = {
  ...search.tools,
  read: tool({ inputSchema: number, execute: ({ n }) => `Page ${n} of ada@example.com` }),
  fails: tool({
    inputSchema: number,
    execute: () => {
      throw new Error('The disk is full.')
    },
  }),
  streams: tool({
    inputSchema: number,
    async *execute({ n }) {
      for (let index = 0; index < n; index++) yield index
    },
  }),
  wipe: tool({ inputSchema: number, metadata: { dangerous: true }, execute: () => 'wiped' }),
  client: tool({ inputSchema: number }),
}
const toolNames = [...Object.keys(tools), 'unknown', 'constructor']

const call = fc.record({
  name: fc.constantFrom(...toolNames),
  n: fc.nat(9),
  kind: fc.constantFrom(...(['usual', 'usual', 'usual', 'broken', 'provider'] as const)),
})
const turn = fc.record({
  text: fc.constantFrom('', 'Let me look. ', 'Write to ada@example.com. '),
  reasons: fc.boolean(),
  calls: fc.array(call, { maxLength: 4 }),
  end: fc.constantFrom(
    ...(['usual', 'usual', 'usual', 'usual', 'breaks', 'refuses', 'length', 'content-filter'] as const),
  ),
})
type Turn = typeof turn extends fc.Arbitrary<infer TURN> ? TURN : never

function play({ text, reasons, calls, end }: Turn, call: string): TurnContent {
  if (end === 'refuses') return [refuse(new Error('overloaded'))]
  const parts = calls.flatMap(({ name, n, kind }, place) => {
    if (kind === 'broken') return [toolCall(name, {}, { rawInput: '{"n":' })]
    if (kind === 'usual') return [toolCall(name, name === 'search_tools' ? { query: 'a bill' } : { n })]
    const id = `${call}-${place}`
    return [toolCall('web', { n }, { id, providerExecuted: true }), toolResult('web', { hits: n }, { id })]
  })
  return [
    ...(reasons ? [reasoning('Hm.')] : []),
    ...(text === '' && parts.length > 0 ? [] : [text === '' ? 'Done.' : text]),
    ...parts,
    ...(end === 'breaks' ? [fail(new Error('reset'))] : []),
    ...(end === 'length' || end === 'content-filter' ? [finish({ reason: end })] : []),
  ]
}

/** Random decisions of a run. Passed as numbers, so that they can be shrunk, and used in order. */
class Chance {
  readonly #numbers: readonly number[]
  #next = 0
  /** How often a run may still be interrupted. */
  interruptions = 6

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers
  }

  /** A number from 0 to 15. */
  roll(): number {
    return this.#numbers[this.#next++ % this.#numbers.length] ?? 15
  }

  suspends({ resumeData }: { resumeData: unknown }): boolean {
    return resumeData === undefined && this.roll() === 0 && this.interruptions-- > 0
  }
}

/** Does in its hooks whatever a processor may do to calls, results and steps. */
const capricious = (chance: Chance): Processor => ({
  id: 'capricious',
  processInputStep: (args) => (chance.suspends(args) ? args.suspend() : undefined),
  processOutputStep(args) {
    if (chance.suspends(args)) args.suspend()
    const rolled = chance.roll()
    if (rolled === 1) args.abort('Again, please.', { retry: true })
    if (rolled === 2) return { toolCalls: args.toolCalls.filter((_, index) => index % 2 === 0) }
    if (rolled === 3) return { toolCalls: args.toolCalls.map((one) => ({ ...one, toolName: 'read' })) }
    if (rolled === 4 && chance.interruptions-- > 0) return { continue: 'Go on.' }
    return rolled === 5 ? args.halt('Enough.') : undefined
  },
  processToolCall(args) {
    if (chance.suspends(args)) args.suspend()
    const rolled = chance.roll()
    if (rolled === 1) return { deny: 'Not now.' }
    if (rolled === 2) return { output: 'From the cache.' }
    if (rolled === 3) return { input: { n: 99 } }
    return rolled === 4 ? { input: { n: 1 } } : undefined
  },
  processToolResult(args) {
    if (!args.preliminary && chance.suspends(args)) args.suspend()
    const rolled = chance.roll()
    if (rolled === 1) return { error: 'Withheld.' }
    return rolled === 2 ? { output: 'Rewritten.' } : undefined
  },
  processToolStep(args) {
    if (chance.suspends(args)) args.suspend()
    const rolled = chance.roll()
    if (rolled === 1) return { finish: true, text: 'That will do.' }
    return rolled === 2 ? args.abort('Enough.') : undefined
  },
})

/** Keeps only the newest messages of the view, like a careless processor. */
const forgetful: Processor = { id: 'forgetful', processInputStep: ({ messages }) => messages.slice(-3) }

type Make = (options: { chance: Chance; other: ScriptedModel; cache: ResponseCache }) => Processor
const makers: readonly Make[] = [
  () => new AuditLog({ sink: { write: () => {} } }),
  () => new ApprovalGate(),
  () => new ApprovalGate({ id: 'nobody', tools: ['read'], interactive: false }),
  () => new BatchParts(),
  () => new KeywordGuard({ keywords: ['page 3'], strategy: 'filter' }),
  () => new LargeMessageSummarizer({ maxLength: 16, onFailure: 'cut' }),
  () => new LoopDetector({ warnAfter: 2, haltAfter: 4 }),
  () => new MaxToolCallsGuard(2),
  ({ other }) => new ModelFallback({ models: [other, other], isRefusal: (text) => text.startsWith('Let') }),
  ({ other }) => new ModelRouter({ routes: [{ model: other, fromStep: 2 }] }),
  () => new PIIDetector(),
  ({ cache }) => cache,
  () => new TokenLimiterProcessor({ inputLimit: 300, outputLimit: 40 }),
  () => new ToolAllowList({ allow: { ...allow, wipe: ({ n }) => n > 4 || 'Too small.' } }),
  () => new ToolCallFilterProcessor(),
  () => new ToolCallFilterProcessor({ id: 'filter-read', exclude: ['read'], olderThan: 2 }),
  () => new UnicodeNormalizer(),
  () => search,
  () => forgetful,
  ({ chance }) => capricious(chance),
]
const allow = Object.fromEntries(Object.keys(tools).map((name) => [name, true as const]))

const conversation = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 8, size: 'max' }),
  otherTurns: fc.array(turn, { minLength: 1, maxLength: 4, size: 'max' }),
  chain: fc.shuffledSubarray([...makers.keys()]),
  maxSteps: fc.constantFrom(2, 4, 8),
  numbers: fc.array(fc.nat(15), { minLength: 1, maxLength: 40 }),
  /** Each part of a run has its own processors, as after a restart; or two concurrent conversations share them. */
  restarts: fc.boolean(),
})
type Given = typeof conversation extends fc.Arbitrary<infer GIVEN> ? GIVEN : never

/** Allowed errors of a run: all models failed, or the newest turn alone exceeds the limiter. */
function isExpected(error: unknown): boolean {
  if (!MillraceError.isInstance(error)) return false
  const { code, message } = error
  if (code === 'RUN_PROMPT_TOO_LONG' || code.startsWith('MODEL_')) return true
  return code === 'RUN_STATE_NOT_JSON' && message.includes('a model object')
}

function answerTo(payload: unknown, chance: Chance): unknown {
  const waiting = waitingCallsOf(payload)
  if (waiting.length === 0) return 'on'
  const decisions = [{ approved: true }, { approved: false }, { approved: true, input: { n: 3 } }]
  const answers = waiting.map(({ toolCallId, waitsFor }) => [
    toolCallId,
    waitsFor === 'output'
      ? 'done'
      : chance.interruptions-- > 0
        ? decisions[chance.roll() % 3]
        : { approved: false },
  ])
  return Object.fromEntries(answers)
}

async function converse({ turns, otherTurns, chain, maxSteps, numbers, restarts }: Given) {
  const chance = new Chance(numbers)
  const scripted = (modelId: string, of: readonly Turn[]) => {
    const script = (_: unknown, index: number) => {
      const next = of[index]
      return next ? play(next, `${modelId}-${index}`) : 'The end.'
    }
    return new ScriptedModel(script, { modelId })
  }
  const model = scripted('first', turns)
  const other = scripted('other', otherTurns)
  const storage = new InMemoryRunStore()
  const cache = new ResponseCache({ scope: 'all' })
  const processors = () => chain.map((index) => (makers[index] as Make)({ chance, other, cache }))
  const shared = processors()
  const agent = () =>
    new Agent({
      model,
      tools,
      storage,
      maxSteps,
      modelSettings: { maxRetries: 0 },
      processors: restarts ? processors() : shared,
    })
  const results: RunResult[] = []
  let suspensions = 0

  async function talk(): Promise<void> {
    const history: Message[] = []
    for (const question of ['First', 'Second']) {
      const input = userMessage(question)
      let result: RunResult = await agent().generate([...history, input], { trusted: true })
      while (result.status === 'suspended') {
        suspensions++
        const { runId, payload } = result.suspension
        result = await agent().resume(runId, answerTo(payload, chance))
      }
      results.push(result)
      history.push(input, ...result.messages)
    }
  }

  const outcomes = await Promise.allSettled(restarts ? [talk()] : [talk(), talk()])
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !isExpected(outcome.reason)) throw outcome.reason
  }
  return { prompts: [...model.calls, ...other.calls].map(({ prompt }) => prompt), results, suspensions }
}

test('no chain of processors separates a tool call from its result', { timeout: 600_000 }, async () => {
  const statuses = new Set<string>()
  await fc.assert(
    fc.asyncProperty(conversation, async (given) => {
      const { prompts, results, suspensions } = await converse(given)
      if (suspensions > 0) statuses.add('suspended')
      for (const prompt of prompts) expect(prompt).toPairEveryToolCall()
      for (const { messages, status, steps } of results) {
        statuses.add(status)
        expect(messages).toPairEveryToolCall()
        for (const { toolCalls, toolResults } of steps) {
          const ids = toolCalls.map(({ toolCallId }) => toolCallId)
          expect(toolResults.map(({ toolCallId }) => toolCallId).sort()).toEqual(ids.sort())
        }
      }
    }),
  )
  // Otherwise the conversations would not test this.
  expect([...statuses].sort()).toEqual(['completed', 'halted', 'limit', 'suspended', 'tripwire'])
})
