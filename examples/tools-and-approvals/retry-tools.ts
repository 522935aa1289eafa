/** Limits the time of a tool, and retries it after a timeout or an error. */
import assert from 'node:assert/strict'
import { Agent, MillraceError, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

let attempts = 0

/** Hangs at the first attempt, is busy at the second, and works at the third. */
const weather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  maxRetries: 2,
  retryable: (error) => MillraceError.isInstance(error) || String(error).includes('busy'),
  execute: ({ city }) => {
    attempts++
    if (attempts === 1) return new Promise<never>(() => {})
    if (attempts === 2) throw new Error('The service is busy.')
    return `sunny in ${city}`
  },
})

const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('weather', { city: 'Oslo' }), 'It is sunny in Oslo.']),
  tools: { weather },
})
const { text, steps } = await agent.generate('Is it raining in Oslo?', {
  timeout: { tools: { weather: 20 } },
})
const [result] = steps[0]?.toolResults ?? []
console.log(text, result) // It is sunny in Oslo. { … status: 'success', output: 'sunny in Oslo', retries: 2 }
assert.equal(text, 'It is sunny in Oslo.')
assert.equal(result?.retries, 2)
