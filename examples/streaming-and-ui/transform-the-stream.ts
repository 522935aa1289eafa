/** Changes and redacts an answer while it streams. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { ScriptedModel, text } from '@millrace/testing'

/** Converts the answer to upper case while it streams. */
const capitals: Processor = {
  id: 'capitals',
  processOutputStream: ({ part }) =>
    part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part,
}
/** Finds ticket numbers at any splits of the stream. */
const tickets = new RegexFilter({ strategy: 'redact', patterns: [/TICKET-\d{4}/] })

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([text('See ticket-1234.', { chunkSize: 3 })])
const run = new Agent({ model, processors: [capitals, tickets] }).stream('Where is it?')
let read = ''
for await (const delta of run.textStream) read += delta
console.log(read) // SEE [REDACTED].
assert.equal(read, 'SEE [REDACTED].')
