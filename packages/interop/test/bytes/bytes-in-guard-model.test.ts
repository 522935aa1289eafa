import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { collect, file, ScriptedModel } from '@millrace/testing'
import { expect, test } from 'vitest'
import { guardModel } from '../../src/ai-sdk/index.ts'

const said = 'The key is KEY-4711.'
const utf16 = Buffer.from(said, 'utf16le')
const base64 = utf16.toString('base64').replaceAll('=', '')
const filter = (strategy: 'redact' | 'block') => new RegexFilter({ strategy, patterns: [/KEY-\d{4}/] })

type Output = Extract<
  Extract<LanguageModelV4Prompt[number], { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

const mediaType = 'text/plain'
const OUTPUTS: Record<string, Output> = {
  'base64 of a file': {
    type: 'content',
    value: [{ type: 'file', mediaType, data: { type: 'data', data: base64 } }],
  },
  'bytes of a file': {
    type: 'content',
    value: [{ type: 'file', mediaType, data: { type: 'data', data: new Uint8Array(utf16) } }],
  },
  'a data URL of a file': {
    type: 'content',
    value: [
      { type: 'file', mediaType, data: { type: 'url', url: new URL(`data:text/plain;base64,${base64}`) } },
    ],
  },
  'an MCP resource in JSON': { type: 'json', value: { content: [{ resource: { blob: base64 } }] } },
  'an MCP resource in a text': {
    type: 'text',
    value: JSON.stringify({ type: 'resource', resource: { uri: 'file:///a', blob: base64 } }),
  },
}

function promptWith(output: Output): LanguageModelV4Prompt {
  const call = { toolCallId: 'c', toolName: 'read' }
  return [
    { role: 'user', content: [{ type: 'text', text: 'Read it.' }] },
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output }] },
  ]
}

/** With the base64 in it readable. */
function readable(value: unknown): string {
  const json = JSON.stringify(value, (_, each) =>
    each instanceof Uint8Array ? Buffer.from(each).toString('base64') : each,
  )
  return json
    .replaceAll(/[\w+/]{16,}=*/g, (each) => Buffer.from(each, 'base64').toString('latin1'))
    .replaceAll('\0', '')
}

test.each(Object.keys(OUTPUTS))('guardModel reads %s in a result of a tool', async (name) => {
  const prompt = promptWith(OUTPUTS[name] as Output)
  expect(readable(prompt)).toContain('KEY-4711')
  const model = new ScriptedModel(['ok'])
  await guardModel(model, [filter('redact')]).doGenerate({ prompt })
  expect(readable(model.lastPrompt)).not.toContain('KEY-4711')
  expect(readable(model.lastPrompt)).toContain('[REDACTED]')
})

test('guardModel reads a file in an answer, streamed or not', async () => {
  const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Write it.' }] }]
  for (const data of [base64, utf16]) {
    const model = () => guardModel(new ScriptedModel([[file('text/plain', data), 'ok']]), [filter('redact')])
    const { content } = await model().doGenerate({ prompt })
    const { stream } = await model().doStream({ prompt })
    const parts = await collect(stream as unknown as AsyncIterable<LanguageModelV4StreamPart>)
    for (const seen of [content, parts]) {
      expect(readable(seen)).not.toContain('KEY-4711')
      expect(readable(seen)).toContain('[REDACTED]')
    }
    const blocked = guardModel(new ScriptedModel([[file('text/plain', data), 'ok']]), [filter('block')])
    await expect(blocked.doGenerate({ prompt })).rejects.toMatchObject({ name: 'GuardRejection' })
  }
})
