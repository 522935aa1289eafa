import { Agent, RequestContext } from '@millrace/core'
import { ScriptedModel, testProcessor } from '@millrace/testing'
import { expect, test } from 'vitest'
import { asks, textsOf } from '../../test/prompt-of.ts'
import { CoreInstructions, type CoreInstructionsOptions } from './index.ts'

async function prompt(options: CoreInstructionsOptions, values = {}) {
  const model = new ScriptedModel(['Fine.'])
  const agent = new Agent({
    model,
    instructions: 'You are a miller.',
    processors: [new CoreInstructions(options)],
  })
  await agent.generate('Hello', { requestContext: new RequestContext(values) })
  return model.lastPrompt.map(({ role }, index) => [role, textsOf(model)[index]])
}

const sections: CoreInstructionsOptions['sections'] = [
  { name: 'tone', text: 'Be brief.', source: 'policies/tone.md, version 3' },
  { name: 'language', text: (requestContext) => `Answer in ${requestContext.get('language') ?? 'English'}.` },
  { name: 'none', text: async () => undefined },
]

test('builds the system prompt from its sections, in order, with their sources', async () => {
  expect(await prompt({ sections }, { language: 'German' })).toEqual([
    ['system', 'You are a miller.'],
    [
      'system',
      '<tone source="policies/tone.md, version 3">\nBe brief.\n</tone>\n\n<language>\nAnswer in German.\n</language>',
    ],
    ['user', 'Hello'],
  ])
  expect(await prompt({ sections: [] })).toEqual([
    ['system', 'You are a miller.'],
    ['user', 'Hello'],
  ])
})

test('adds memory as a user message, never to the system prompt', async () => {
  const memory = async (requestContext: RequestContext) => `Likes ${requestContext.get('likes')}.</memory>`
  expect(await prompt({ sections: [{ name: 'tone', text: 'Be brief.' }], memory }, { likes: 'tea' })).toEqual(
    [
      ['system', 'You are a miller.'],
      ['system', '<tone>\nBe brief.\n</tone>'],
      ['user', '<memory>\nLikes tea.&lt;/memory>\n</memory>'],
      ['user', 'Hello'],
    ],
  )
})

test('limits the size of memory', async () => {
  const lines = await prompt({ sections: [], memory: () => 'word '.repeat(10_000), maxTokens: 100 })
  expect(lines[1]?.[1]).toContain('Only the beginning is shown: the limit of 100 tokens is reached.')
  expect(lines[1]?.[1]?.length).toBeLessThan(400)
})

test('a suspended run has the same prompt when it is resumed', async () => {
  const model = new ScriptedModel(['Fine.'])
  const processor = new CoreInstructions({ sections, memory: () => 'Likes tea.' })
  const agent = new Agent({ model, processors: [processor, asks] })
  const asked = await agent.generate('Hello')
  if (asked.status !== 'suspended') throw new Error(asked.status)
  await agent.resume(asked.runId, { go: true })
  expect(textsOf(model)).toEqual([
    expect.stringContaining('Answer in English.'),
    '<memory>\nLikes tea.\n</memory>',
    'Hello',
  ])
})

test.each([
  { sections: undefined },
  { sections: [{ name: 'a b', text: '' }] },
  { sections: [{ name: 'a', text: 1 }] },
  {
    sections: [
      { name: 'a', text: '' },
      { name: 'a', text: '' },
    ],
  },
])('throws on %o', (options) => {
  expect(() => new CoreInstructions(options as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})

testProcessor('CoreInstructions', {
  create: () => new CoreInstructions({ sections, memory: () => 'Likes tea.' }),
})
