import { describe, expect, it } from 'vitest'
import { collect, file, raw, ScriptedModel, source, tokens } from '../index.ts'
import { hello, partsOf } from '../played-turn.ts'

describe('files, sources and raw parts', () => {
  it('sends files as data or as a URL', async () => {
    const url = new URL('https://a.test/cat.png')
    expect(await partsOf([file('image/png', 'aGk='), file('image/png', url)])).toEqual([
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
    ])
  })

  it('sends sources of both kinds', async () => {
    const document = { mediaType: 'application/pdf', title: 'Manual', id: 'manual' }
    expect(await partsOf([source({ url: 'https://a.test' }), source(document)])).toEqual([
      { type: 'source', sourceType: 'url', id: 'source-1', url: 'https://a.test' },
      { type: 'source', sourceType: 'document', ...document },
    ])
  })

  it('sends raw parts verbatim, instead of the default ones', async () => {
    const parts = [
      { type: 'stream-start' as const, warnings: [{ type: 'other' as const, message: 'careful' }] },
      { type: 'response-metadata' as const, id: 'r' },
      { type: 'ping' as const },
      { type: 'raw' as const, rawValue: { a: 1 } },
      {
        type: 'finish' as const,
        finishReason: { unified: 'other' as const, raw: undefined },
        usage: tokens(),
      },
    ]
    const model = new ScriptedModel([raw(...parts), [raw(...parts)]])
    const emitted = await collect((await model.doStream(hello)).stream)
    expect(emitted).toEqual(parts)
    expect(emitted[0]).not.toBe(parts[0])
    expect(await model.doGenerate(hello)).toEqual({
      content: [],
      finishReason: { unified: 'other', raw: undefined },
      usage: tokens(),
      warnings: [{ type: 'other', message: 'careful' }],
      response: { id: 'r' },
    })
  })
})
