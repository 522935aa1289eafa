/** Asks the model again if it books a delivery without naming the address. The tool does not run before. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** Requires that an answer which books a delivery names the address. No tool runs before this check. */
const confirmAddress: Processor = {
  id: 'confirm-address',
  processOutputStep({ text, toolCalls, abort }) {
    const books = toolCalls.some(({ toolName }) => toolName === 'book')
    if (books && !text.includes('Street')) abort('Say where you deliver to before you book.', { retry: true })
  },
}

const booked: string[] = []
const book = tool({ inputSchema: z.object({ to: z.string() }), execute: ({ to }) => booked.push(to) })
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([
  toolCall('book', { to: '?' }),
  ['I deliver to 1 Mill Street. ', toolCall('book', { to: '1 Mill Street' })],
  'It is on its way.',
])
const agent = new Agent({ model, tools: { book }, processors: [confirmAddress] })

await agent.generate('Send it to 1 Mill Street.')
console.log(booked) // [ '1 Mill Street' ]
assert.deepEqual(booked, ['1 Mill Street'])
