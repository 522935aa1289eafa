/** Asks the model to correct a structured answer that does not match its schema. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'
import { z } from 'zod'

const city = z.object({ city: z.string(), inhabitants: z.number().positive() })

/** Retries an answer that does not match its schema, with the error as feedback. */
const validate: Processor = {
  id: 'validate',
  processOutputStep({ text, abort }) {
    const parsed = city.safeParse(JSON.parse(text))
    if (!parsed.success) abort(`Correct this: ${parsed.error.issues[0]?.message}`, { retry: true })
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['{"city":"Oslo","inhabitants":-1}', '{"city":"Oslo","inhabitants":700000}'])
const { object } = await new Agent({ model, processors: [validate] }).generate('Oslo?', { output: city })
console.log(object) // { city: 'Oslo', inhabitants: 700000 }
assert.equal(object?.inhabitants, 700_000)
