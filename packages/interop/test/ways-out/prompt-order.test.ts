import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { GuardSession, guardModel } from '@millrace/interop/ai-sdk'
import { ScriptedModel } from '@millrace/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const system = fc
  .constantFrom('Be brief.', 'KEY-12345678', 'Today is Monday.')
  .map((content): LanguageModelV4Message[] => [{ role: 'system', content }])
const user = fc
  .constantFrom('Hello.', 'It is KEY-12345678.')
  .map((text): LanguageModelV4Message[] => [{ role: 'user', content: [{ type: 'text', text }] }])
const assistant = fc.constant<LanguageModelV4Message[]>([
  { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
])
const called = fc.uuid().map((toolCallId): LanguageModelV4Message[] => [
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'look', input: { a: 1 } }] },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId, toolName: 'look', output: { type: 'text', value: 'KEY-12345678' } },
    ],
  },
])

const prompts = fc
  .array(fc.oneof(system, user, assistant, called), { maxLength: 8 })
  .chain((before) => user.map((last): LanguageModelV4Prompt => [...before, last].flat()))

const redact = (): RegexFilter => new RegexFilter({ patterns: [/KEY-\d{8}/], strategy: 'redact' })

test('guardModel without processors asks the model exactly what it is asked', async () => {
  await fc.assert(
    fc.asyncProperty(prompts, fc.boolean(), async (prompt, hasSession) => {
      const model = new ScriptedModel(['Yes.', 'Yes.'])
      const guarded = guardModel(model, [], hasSession ? { session: new GuardSession() } : {})
      await guarded.doGenerate({ prompt })
      const more = [...prompt, { role: 'system' as const, content: 'Hurry.' }]
      await guarded.doGenerate({ prompt: more })
      expect(model.calls.map((call) => call.prompt)).toEqual([prompt, more])
    }),
  )
})

test('guardModel keeps every message at its place when it redacts them', async () => {
  await fc.assert(
    fc.asyncProperty(prompts, fc.boolean(), async (prompt, hasSession) => {
      const model = new ScriptedModel(['Yes.', 'Yes.'])
      const guarded = guardModel(model, [redact()], hasSession ? { session: new GuardSession() } : {})
      await guarded.doGenerate({ prompt })
      const more = [...prompt, { role: 'system' as const, content: 'Hurry.' }]
      await guarded.doGenerate({ prompt: more })
      const redacted = [prompt, more].map((each) =>
        JSON.parse(JSON.stringify(each).replaceAll('KEY-12345678', '[REDACTED]')),
      )
      expect(model.calls.map((call) => call.prompt)).toEqual(redacted)
    }),
  )
})
