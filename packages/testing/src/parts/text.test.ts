import { describe, expect, it } from 'vitest'
import { reasoning, text } from '../index.ts'
import { deltasOf, generate, partsOf } from '../played-turn.ts'

describe('text and reasoning', () => {
  it('splits into words by default and loses no character', async () => {
    expect(await deltasOf('  Hello,\n\n big  world ')).toEqual(['  ', 'Hello,\n\n ', 'big  ', 'world '])
    expect(await deltasOf('')).toEqual([])
  })

  it('splits into pieces of chunkSize characters, never within one', async () => {
    expect(await deltasOf(text('a👍👍b', { chunkSize: 2 }))).toEqual(['a👍', '👍b'])
    expect(await deltasOf(reasoning('abcde', { chunkSize: 2 }))).toEqual(['ab', 'cd', 'e'])
  })

  it('keeps explicit chunks unchanged, even within a surrogate pair', async () => {
    expect(await deltasOf(text(['a\ud83d', '', '\udc4d']))).toEqual(['a\ud83d', '', '\udc4d'])
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a chunkSize of %s', (chunkSize) => {
    expect(() => text('a', { chunkSize })).toThrow(`chunkSize is ${chunkSize}. Use an integer of at least 1.`)
  })

  it('gives every block its id, and its metadata at the end', async () => {
    const providerMetadata = { acme: { signature: 'abc' } }
    const citations = [
      { source: { type: 'source' as const, sourceType: 'url' as const, id: 's', url: 'https://a.test' } },
    ]
    const turn = [reasoning('Hm', { providerMetadata }), text('A', { citations }), reasoning('Oh'), text('B')]
    expect(await partsOf(turn)).toEqual([
      { type: 'reasoning-start', id: 'reasoning-1' },
      { type: 'reasoning-delta', id: 'reasoning-1', delta: 'Hm' },
      { type: 'reasoning-end', id: 'reasoning-1', providerMetadata },
      { type: 'text-start', id: 'text-1' },
      { type: 'text-delta', id: 'text-1', delta: 'A' },
      { type: 'text-end', id: 'text-1', citations },
      { type: 'reasoning-start', id: 'reasoning-2' },
      { type: 'reasoning-delta', id: 'reasoning-2', delta: 'Oh' },
      { type: 'reasoning-end', id: 'reasoning-2' },
      { type: 'text-start', id: 'text-2' },
      { type: 'text-delta', id: 'text-2', delta: 'B' },
      { type: 'text-end', id: 'text-2' },
    ])
    expect((await generate(turn)).content).toEqual([
      { type: 'reasoning', text: 'Hm', providerMetadata },
      { type: 'text', text: 'A', citations },
      { type: 'reasoning', text: 'Oh' },
      { type: 'text', text: 'B' },
    ])
  })
})
