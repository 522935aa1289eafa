import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { tokens } from '@millrace/testing'
import fc from 'fast-check'

const deep = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`

/** Arguments of a call as models have written them, and as none should. */
export const ARGUMENTS: Readonly<Record<string, string>> = {
  'an object': '{"q":"Oslo"}',
  'a truncated object': '{"q": "Os',
  'a list': '[1]',
  'a string': '"x"',
  null: 'null',
  'two objects': '{}{}',
  'a number': '7',
  'a boolean': 'true',
  nothing: '',
  'white space': ' ',
  'a key that occurs twice': '{"q":1,"q":"Oslo"}',
  'the key __proto__': '{"__proto__":{"q":1},"constructor":2}',
  'empty keys and the character zero': '{"":"","\\u0000":"\\u0000"}',
  'escaped lone surrogates': '{"q":"\\ud800","\\udc00":1}',
  'a lone surrogate where it ends': '{"q":"\ud83d',
  'a number beyond all': '{"q":1e999}',
  'single quotes': "{'q': 'Oslo'}",
  'a fence': '```json\n{"q":"Oslo"}\n```',
  'a byte order mark': '\ufeff{"q":"Oslo"}',
  'forty levels': deep(40, '{"q":', '}'),
  'a hundred thousand levels': deep(100_000, '{"q":', '}'),
  'a hundred thousand lists': deep(100_000, '[', ']'),
  'a hundred thousand open levels': deep(100_000, '{"q":', ''),
}

export const IDS: Readonly<Record<string, string>> = {
  empty: '',
  blank: ' ',
  plain: 'call_1',
  'as of Kimi': 'functions.look:0',
  'with a lone surrogate': 'ü\ud800',
  long: 'c'.repeat(200),
  'of the prototype': '__proto__',
}

export const NAMES: Readonly<Record<string, string>> = {
  known: 'look',
  empty: '',
  'with spaces': 'look at/this!',
  'with a dot': 'server.look',
  'with a digit in front': '9lives',
  'with a lone surrogate': 'ü\ud800',
  'of the prototype': '__proto__',
  'of an inherited property': 'constructor',
  'of a tool of Google': 'code_execution',
  long: 'n'.repeat(300),
}

type Part = LanguageModelV4StreamPart
type Metadata = Extract<Part, { type: 'text-start' }>['providerMetadata']

const METADATA: readonly Metadata[] = [
  undefined,
  {},
  { anthropic: {} },
  { anthropic: { signature: 'claude:1' } },
  { openai: {} },
  { google: {} },
  { google: { thoughtSignature: 'c2ln' } },
]

/** Metadata of a part, also of another provider. OpenAI's items have ids that say what they are. */
function metadata(itemId: string): fc.Arbitrary<Metadata> {
  return fc.constantFrom<Metadata>(...METADATA, { openai: { itemId } })
}

const words = fc.oneof(
  fc.constantFrom('', ' ', '\n', '\ud83d', 'Hello', '```'),
  fc.string({ unit: 'binary', maxLength: 6 }),
)

/** The parts from a start to an end, of which any may be missing. */
function block(type: 'text' | 'reasoning'): fc.Arbitrary<Part[]> {
  return fc
    .record({
      id: fc.constantFrom('1', '2', ''),
      deltas: fc.array(words, { maxLength: 3 }),
      starts: fc.boolean(),
      ends: fc.boolean(),
      providerMetadata: metadata(type === 'text' ? 'msg_1' : 'rs_1'),
    })
    .map(({ id, deltas, starts, ends, providerMetadata }) => {
      const options = providerMetadata && { providerMetadata }
      return [
        ...(starts ? [{ type: `${type}-start` as const, id, ...options }] : []),
        ...deltas.map((delta) => ({ type: `${type}-delta` as const, id, delta })),
        ...(ends ? [{ type: `${type}-end` as const, id, ...options }] : []),
      ]
    })
}

const call: fc.Arbitrary<Part[]> = fc
  .record({
    id: fc.oneof(fc.constantFrom(...Object.values(IDS)), fc.string({ unit: 'binary' })),
    toolName: fc.oneof(
      fc.constantFrom('look', 'look', 'look', ...Object.values(NAMES)),
      fc.string({ unit: 'binary' }),
    ),
    input: fc.oneof(fc.constantFrom(...Object.values(ARGUMENTS)), fc.string({ unit: 'binary' }), fc.json()),
    providerMetadata: metadata('fc_1'),
    kept: fc.constantFrom('all', 'call', 'start', 'delta', 'end', 'result'),
  })
  .map(({ id, toolName, input, providerMetadata, kept }) => {
    if (kept === 'result') return [{ type: 'tool-result', toolCallId: id, toolName, result: { found: 1 } }]
    const options = providerMetadata && { providerMetadata }
    const whole: Part[] = [
      { type: 'tool-input-start', id, toolName, ...options },
      { type: 'tool-input-delta', id, delta: input },
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName, input, ...options },
    ]
    if (kept === 'call') return whole.slice(3)
    return whole.slice(0, { start: 1, delta: 2, end: 3, all: 4 }[kept])
  })

const file: fc.Arbitrary<Part[]> = fc
  .record({
    type: fc.constantFrom('file' as const, 'reasoning-file' as const),
    mediaType: fc.constantFrom('image/png', 'audio/wav', 'image/*'),
    data: fc.constantFrom(
      { type: 'data' as const, data: 'aGk=' },
      { type: 'url' as const, url: new URL('https://example.com/1.png') },
    ),
    providerMetadata: metadata('ig_1'),
  })
  .map(({ providerMetadata, ...part }) => [{ ...part, ...(providerMetadata && { providerMetadata }) }])

const others = fc.constantFrom<Part[]>(
  [{ type: 'custom', kind: 'acme.mark' }],
  [{ type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' }],
  [{ type: 'raw', rawValue: {} }],
)

const finish: fc.Arbitrary<Part[]> = fc
  .constantFrom('stop', 'tool-calls', 'length', 'content-filter', 'other', undefined)
  .map((unified) =>
    unified ? [{ type: 'finish', finishReason: { unified, raw: unified }, usage: tokens() }] : [],
  )

/** A response as no provider should send it. */
export const hostileOutput: fc.Arbitrary<Part[]> = fc
  .tuple(
    fc.array(fc.oneof(block('text'), block('reasoning'), { weight: 3, arbitrary: call }, file, others), {
      maxLength: 6,
    }),
    finish,
  )
  .map(([blocks, end]) => [...blocks.flat(), ...end])

/** A model whose first response is the given one. All later calls are made by the real model. */
export function after(first: readonly Part[], real: LanguageModelV4): LanguageModelV4 {
  let isFirst = true
  const { provider, modelId, supportedUrls } = real
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls,
    doGenerate: (options) => real.doGenerate(options),
    async doStream(options) {
      if (!isFirst) return real.doStream(options)
      isFirst = false
      return { stream: ReadableStream.from(first) as ReadableStream<Part> }
    },
  }
}
