import { ScriptedModel, toolCall } from '@millrace/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import type { AgentOptions, RunOptions } from '../agent/agent-options.ts'
import type { Processor } from '../processors/processor.ts'
import { tool } from '../tools/tool.ts'
import { modelLimits, promptLimit } from './model-limits.ts'

const told = (contextWindow?: number, maxOutputTokens?: number) => ({
  contextWindow,
  modelSettings: { ...(maxOutputTokens !== undefined && { maxOutputTokens }) },
})
const saying = (limits: object) => Object.assign(new ScriptedModel(['Hi']), limits)

test("uses the agent's options, then the properties of the model", () => {
  const model = saying({ contextWindow: 100, maxOutputTokens: 10 })
  expect(modelLimits(model, told(50, 5))).toEqual({ contextWindow: 50, maxOutputTokens: 5 })
  expect(modelLimits(model, told())).toEqual({ contextWindow: 100, maxOutputTokens: 10 })
  expect(modelLimits('some/model', told())).toEqual({ contextWindow: undefined, maxOutputTokens: undefined })
})

test.each([0, -1, 1.5, Number.NaN, '8000', null])(
  'does not accept %o as a limit of a model',
  (contextWindow) => {
    expect(modelLimits(saying({ contextWindow }), told()).contextWindow).toBeUndefined()
  },
)

test.each([
  [200_000, 8_000, 192_000],
  [200_000, undefined, 195_904],
  [8_000, undefined, 6_000],
  [8_000, 9_000, 0],
  [undefined, 500, undefined],
])(
  'of a window of %s with answers of %s, a prompt may have %s',
  (contextWindow, maxOutputTokens, expected) => {
    expect(promptLimit({ contextWindow, maxOutputTokens })).toBe(expected)
  },
)

async function seen(options: Partial<AgentOptions>, call: RunOptions = {}) {
  const limits: unknown[] = []
  const spy: Processor = {
    id: 'spy',
    processInputStep: ({ contextWindow, maxOutputTokens }) => {
      limits.push([contextWindow, maxOutputTokens])
    },
    processToolStep: ({ contextWindow, maxOutputTokens }) => {
      limits.push([contextWindow, maxOutputTokens])
    },
  }
  const look = tool({ inputSchema: z.object({}), execute: () => 1 })
  const model = new ScriptedModel([toolCall('look', {}), 'Hi'])
  const { processors = [] } = options as { processors?: Processor[] }
  await new Agent({ model, tools: { look }, ...options, processors: [...processors, spy] }).generate(
    'Hi',
    call,
  )
  return limits
}

test('passes one context window to processors, in every step and with its results', async () => {
  const own = { contextWindow: 8_000, modelSettings: { maxOutputTokens: 500 } }
  expect(await seen(own)).toEqual([
    [8_000, 500],
    [8_000, 500],
    [8_000, 500],
  ])
  expect(await seen(own, { contextWindow: 4_000, modelSettings: { maxOutputTokens: 5 } })).toEqual([
    [4_000, 5],
    [4_000, 5],
    [4_000, 5],
  ])
})

test('passes the context window of a model that a processor has set', async () => {
  const small = Object.assign(new ScriptedModel([toolCall('look', {}), 'Hi']), { contextWindow: 1_000 })
  const switches: Processor = { id: 'switches', processInputStep: () => ({ model: small }) }
  expect(await seen({ processors: [switches] })).toEqual([
    [1_000, undefined],
    [1_000, undefined],
    [1_000, undefined],
  ])
})

test.each([0, -5, 1.5, Number.NaN])('refuses a window of %s', (contextWindow) => {
  const model = new ScriptedModel([])
  expect(() => new Agent({ model, contextWindow })).toThrow(`contextWindow is ${contextWindow}`)
  expect(() => new Agent({ model, modelSettings: { maxOutputTokens: contextWindow } })).toThrow(
    'modelSettings.maxOutputTokens',
  )
})
