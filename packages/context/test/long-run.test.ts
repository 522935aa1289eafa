import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Summarization, type SummarizationEvent } from '../src/summarization/index.ts'
import { ToolOutputLimit } from '../src/tool-output-limit/index.ts'
import { tokensOfCall } from './prompt-tokens.ts'

expect.extend(matchers)

const WINDOW = 8_000
const ANSWER = 800
const TASK = 'Find out why the wheel of the third mill stands still, and write a report of two pages.'
const INSTRUCTIONS = 'You look after mills. Be brief. '.repeat(20)

/** Lengths between 10 bytes and 1 MB, in no order that a test could rely on. */
function lengthAt(step: number): number {
  if (step % 50 === 17) return 1_000_000
  const spread = ((step * 7_919) % 1_000) / 1_000
  return Math.round(10 * 10 ** (spread * 4))
}

function outputAt(step: number): string {
  const line = `${step}: the gate (no. ${step % 7}) is open, flow 3.${step} m³/s; {"ok":${step % 3 === 0}}\n`
  return line.repeat(Math.ceil(lengthAt(step) / line.length)).slice(0, lengthAt(step))
}

test('a run of 500 steps with outputs of up to 1 MB stays within a window of 8,000 tokens', {
  timeout: 300_000,
}, async () => {
  const steps = 500
  const model = new ScriptedModel(
    (_, index) => (index < steps ? [`Step ${index}.`, toolCall('look', { at: index })] : 'The report.'),
    { modelId: 'gpt-5' },
  )
  const summariser = new ScriptedModel(
    ({ prompt }) => `Record of ${JSON.stringify(prompt).length} characters. `.repeat(40),
    {
      modelId: 'gpt-5-mini',
    },
  )
  const events: SummarizationEvent[] = []
  const limit = new ToolOutputLimit()
  const look = tool({
    description: 'Looks at a gate.',
    inputSchema: z.object({ at: z.number() }),
    execute: ({ at }) => outputAt(at),
  })
  const agent = new Agent({
    model,
    instructions: INSTRUCTIONS,
    tools: { ...limit.tools, look },
    maxSteps: steps + 1,
    contextWindow: WINDOW,
    modelSettings: { maxOutputTokens: ANSWER },
    processors: [limit, new Summarization({ model: summariser, onSummary: (event) => events.push(event) })],
  })
  const result = await agent.generate(TASK)
  expect(result).toHaveText('The report.')
  expect(result.steps).toHaveLength(steps + 1)

  let longest = 0
  const rewritten = new Set<number>()
  let before: readonly string[] = []
  for (const [index, call] of model.calls.entries()) {
    const { prompt } = call
    const tokens = await tokensOfCall(call)
    longest = Math.max(longest, tokens)
    expect(tokens, `step ${index}`).toBeLessThanOrEqual(WINDOW - ANSWER)
    expect(prompt[0]).toEqual({ role: 'system', content: INSTRUCTIONS })
    expect(prompt.filter(({ role }) => role === 'user').at(-1)?.content).toEqual([
      { type: 'text', text: TASK },
    ])
    expect(prompt).toPairEveryToolCall()
    if (index > 0) {
      expect(prompt.at(-2)?.content).toMatchObject([
        { text: `Step ${index - 1}.` },
        { input: { at: index - 1 } },
      ])
      const shown = JSON.stringify(prompt.at(-1))
      const whole = outputAt(index - 1)
      if (whole.length < 1_500) expect(prompt.at(-1)?.content).toMatchObject([{ output: { value: whole } }])
      if (whole.length > 10_000) expect(shown).toContain('are left out')
    }
    const now = prompt.map((message) => JSON.stringify(message))
    const isPrefix = before.every((message, place) => message === now[place])
    if (!isPrefix) rewritten.add(index)
    before = now
  }
  expect(longest).toBeGreaterThan(4_000)
  const summarised = events.filter(({ status }) => status === 'summarised')
  expect(events).toEqual(summarised)
  expect(rewritten).toEqual(new Set(summarised.map(({ stepNumber }) => stepNumber)))
  expect(summarised.length).toBe(summariser.callCount)
  for (const { tokensBefore, tokensAfter = 0 } of summarised) expect(tokensAfter).toBeLessThan(tokensBefore)
  const used = result.processors.flatMap(({ processorId, modelUsage = [] }) =>
    processorId === 'summarization' ? modelUsage : [],
  )
  expect(used.reduce((sum, { calls }) => sum + calls, 0)).toBe(summariser.callCount)
  expect(summariser.callCount).toBeLessThan(steps / 3)
  // The transcript keeps every step.
  expect(
    result.messages.flatMap(({ content }) => content.parts).filter(({ type }) => type === 'tool-look'),
  ).toHaveLength(steps)
  for (const call of summariser.calls) expect(await tokensOfCall(call)).toBeLessThanOrEqual(WINDOW)
})
