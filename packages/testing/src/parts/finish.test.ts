import { describe, expect, it } from 'vitest'
import {
  cut,
  errorPart,
  fail,
  finish,
  hang,
  refuse,
  ScriptedModel,
  type TurnContent,
  tokens,
  toolCall,
} from '../index.ts'
import { finishOf, generate } from '../played-turn.ts'

describe('finish', () => {
  it.each<[string, TurnContent]>([
    ['stop', 'Hello'],
    ['tool-calls', ['Hello', toolCall('a')]],
    ['stop', toolCall('a', {}, { providerExecuted: true })],
    ['error', ['Hello', errorPart(new Error('no'))]],
    ['length', ['Hello', finish({ reason: 'length' })]],
  ])('reports %s', async (reason, turn) => {
    expect(await finishOf(turn)).toMatchObject({
      finishReason: { unified: reason, raw: reason },
      usage: tokens(),
    })
  })

  it('sends the given raw reason, usage and metadata', async () => {
    const usage = tokens({ input: 100, output: 50, cacheRead: 80, cacheWrite: 5, reasoning: 20 })
    const providerMetadata = { acme: { tier: 'gold' } }
    const turn = finish({ reason: 'stop', raw: 'end_turn', usage, providerMetadata })
    const expected = { finishReason: { unified: 'stop', raw: 'end_turn' }, usage, providerMetadata }
    expect(await finishOf(turn)).toEqual({ type: 'finish', ...expected })
    expect(await generate(turn)).toMatchObject(expected)
    expect(usage).toEqual({
      inputTokens: { total: 100, noCache: 15, cacheRead: 80, cacheWrite: 5 },
      outputTokens: { total: 50, text: 30, reasoning: 20 },
    })
  })

  it("uses the model's usage if the turn has none", async () => {
    const usage = tokens({ input: 7 })
    expect(await finishOf('Hello', { usage })).toMatchObject({ usage })
  })

  it.each<[string, TurnContent]>([
    ['finish', [finish(), 'more']],
    ['cut', [cut(), 'more']],
    ['fail', [fail(), finish()]],
    ['hang', [hang(), 'more']],
    ['refuse', [refuse(new Error('no')), 'more']],
  ])('rejects parts after %s()', (name, turn) => {
    expect(() => new ScriptedModel([turn])).toThrow(
      `Turn 1 of the script goes on after ${name}(), which ends the answer.`,
    )
  })

  it('rejects items that are not from a builder', () => {
    const turn = [{ type: 'text', text: 'Hello' }] as unknown as TurnContent
    expect(() => new ScriptedModel([turn])).toThrow(
      'Turn 1 of the script has an item that is neither a string nor from',
    )
  })
})
