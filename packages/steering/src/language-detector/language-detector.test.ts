import { Agent, type Message } from '@millrace/core'
import { refuse, ScriptedModel } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { eld } from 'eld/extrasmall'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { detectLanguage, isKnownLanguage } from './detect-language.ts'
import {
  LanguageDetector,
  type LanguageDetectorEvent,
  type LanguageDetectorOptions,
} from './language-detector.ts'

expect.extend(matchers)

const GERMAN = 'Wo ist denn der Bahnhof, und wann fährt der Zug?'

async function run(input: string, options: LanguageDetectorOptions, answer = 'Yes.') {
  const model = new ScriptedModel([answer])
  let message: Message | undefined
  const agent = new Agent({
    model,
    processors: [
      new LanguageDetector(options),
      {
        id: 'after',
        processInput: ({ messages }) => {
          message = messages.at(-1)
        },
      },
    ],
  })
  const result = await agent.generate(input)
  return { result, model, metadata: message?.content.metadata }
}

const translator = (text: string) => new ScriptedModel([JSON.stringify({ text })], { repeat: 'last' })

describe('detectLanguage', () => {
  test.each([
    ['en', 'I would like to cancel my order'],
    ['de', 'ich möchte meine Bestellung stornieren'],
    ['fr', 'je voudrais annuler ma commande'],
    ['es', 'quiero cancelar mi pedido'],
    ['pl', 'chcę anulować moje zamówienie'],
    ['tr', 'siparişimi iptal etmek istiyorum'],
    ['ru', 'я хочу отменить заказ'],
    ['ja', '注文をキャンセルしたいです'],
    ['zh', '我想取消订单'],
    ['ar', 'أريد إلغاء طلبي'],
    ['ms', 'saya ingin membatalkan pesanan'],
  ])('%s', async (language, text) => {
    expect(await detectLanguage(text)).toMatchObject({ language, isReliable: true })
  })

  test.each(['ok', '', '12345', '👍👍', 'https://example.com/foo', 'asdf'])(
    'recognizes no language in %j',
    async (text) => {
      expect((await detectLanguage(text)).isReliable).toBe(false)
    },
  )

  test('distinguishes the candidates, separately for each set', async () => {
    const text = 'допоможіть мені'
    const [all, some] = await Promise.all([
      detectLanguage(text),
      detectLanguage(text, { candidates: ['uk-UA', 'en'], minLetters: 5 }),
    ])
    expect(some.language).toBe('uk')
    expect(await detectLanguage(text)).toEqual(all)
    expect((await detectLanguage(GERMAN, { candidates: ['en', 'fr'] })).language).not.toBe('de')
  })

  test('takes constant time for long texts', async () => {
    const { language } = await detectLanguage(GERMAN.repeat(100_000))
    expect(language).toBe('de')
  })

  test('knows exactly the documented languages', () => {
    const known = Object.values(eld.info().Languages)
    expect(known.every(isKnownLanguage)).toBe(true)
    expect(isKnownLanguage('xx')).toBe(false)
  })
})

describe('a message in another language', () => {
  test('has its language stored in its metadata', async () => {
    const { metadata, model } = await run(GERMAN, {})
    expect(metadata).toEqual({ language: { code: 'de', score: expect.any(Number), isReliable: true } })
    expect(model).toHaveBeenPrompted(GERMAN)
  })

  test('ends the run if its language is not allowed', async () => {
    const { result, model } = await run(GERMAN, { languages: ['en', 'fr'], strategy: 'block' })
    expect(result).toHaveTripped({
      processorId: 'language-detector',
      reason: 'The input is in another language than en, fr: de.',
    })
    expect(model.callCount).toBe(0)
  })

  test('passes if its language is allowed, by any of its codes', async () => {
    expect((await run(GERMAN, { languages: ['en', 'de-AT'], strategy: 'block' })).result).toBeCompleted()
    const indonesian = await run('saya ingin membatalkan pesanan', { languages: ['id'], strategy: 'block' })
    expect(indonesian.result).toBeCompleted()
  })

  test('passes if its language is unreliable', async () => {
    expect((await run('ok', { languages: ['en'], strategy: 'block' })).result).toBeCompleted()
  })

  test('is reported', async () => {
    const events: LanguageDetectorEvent[] = []
    const { result, model } = await run(GERMAN, {
      languages: ['en'],
      strategy: 'warn',
      onDetection: (event) => events.push(event),
    })
    expect(result).toBeCompleted()
    expect(model).toHaveBeenPrompted(GERMAN)
    expect(events).toEqual([expect.objectContaining({ language: 'de', surface: 'input', strategy: 'warn' })])
  })

  test('is translated', async () => {
    const events: LanguageDetectorEvent[] = []
    const model = translator('Where is the station?')
    const translated = await run(GERMAN, {
      languages: ['en'],
      strategy: 'translate',
      model,
      onDetection: (event) => events.push(event),
    })
    expect(translated.model).toHaveBeenPrompted('Where is the station?')
    expect(translated.model.lastPrompt).toLeakNothingOf('Bahnhof')
    expect(translated.metadata).toMatchObject({ translatedFrom: 'de' })
    expect(translated.metadata).not.toHaveProperty('originalText')
    expect(JSON.stringify(model.lastPrompt)).toContain('English (en)')
    expect(events).toEqual([expect.objectContaining({ inputTokens: 10, outputTokens: 5 })])
  })

  test('is kept in the metadata with keepOriginal', async () => {
    const options = {
      languages: ['en'],
      strategy: 'translate',
      model: translator('x'),
      keepOriginal: true,
    } as const
    expect((await run(GERMAN, options)).metadata).toMatchObject({ originalText: GERMAN })
  })

  test('fails the run by default if its translation fails', async () => {
    const options = (onFailure: 'fail' | 'keep'): LanguageDetectorOptions => ({
      languages: ['en'],
      strategy: 'translate',
      model: new ScriptedModel([refuse(new Error('down'))]),
      onFailure,
    })
    await expect(run(GERMAN, options('fail'))).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    const { model, metadata } = await run(GERMAN, options('keep'))
    expect(model).toHaveBeenPrompted(GERMAN)
    expect(metadata).not.toHaveProperty('translatedFrom')
  })
})

describe('an answer in another language', () => {
  test('is treated in the same way with surfaces: answer', async () => {
    const surfaces = ['answer'] as const
    const blocked = await run('Hello there', { languages: ['en'], strategy: 'block', surfaces }, GERMAN)
    expect(blocked.result).toHaveTripped({ hook: 'processOutputResult' })
    const translated = await run(
      GERMAN,
      { languages: ['en'], strategy: 'translate', model: translator('At nine.'), surfaces },
      GERMAN,
    )
    expect(translated.result).toHaveText('At nine.')
    expect(translated.model).toHaveBeenPrompted(GERMAN)
  })

  test('passes if it is structured', async () => {
    const agent = new Agent({
      model: new ScriptedModel([JSON.stringify({ text: GERMAN })]),
      processors: [new LanguageDetector({ languages: ['en'], strategy: 'block', surfaces: ['answer'] })],
    })
    expect(await agent.generate('Hi', { output: z.object({ text: z.string() }) })).toBeCompleted()
  })
})

test('one detector serves many concurrent runs', async () => {
  const detector = new LanguageDetector({ languages: ['en'], strategy: 'block' })
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const agent = new Agent({ model: new ScriptedModel(['Yes.']), processors: [detector] })
      return (await agent.generate(index % 2 === 0 ? GERMAN : 'Where is the railway station?')).status
    }),
  )
  expect(statuses).toEqual(statuses.map((_, index) => (index % 2 === 0 ? 'tripwire' : 'completed')))
})

test.each([
  { strategy: 'x' },
  { strategy: 'block' },
  { strategy: 'translate', languages: ['en'] },
  { model: 'openai/gpt-5-mini' },
  { languages: ['klingon'] },
  { candidates: ['xx'] },
  { surfaces: [] },
  { minLetters: -1 },
  { onFailure: 'x' },
])('rejects %o', (options) => {
  expect(() => new LanguageDetector(options as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})
