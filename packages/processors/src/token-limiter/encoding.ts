/** The encodings that can be counted exactly. */
export type EncodingName = 'o200k_base' | 'cl100k_base' | 'p50k_base' | 'p50k_edit' | 'r50k_base'

/** How the tokens of a model are counted. */
export interface Encoding {
  /** `estimate` where the model's own encoding is not public. */
  readonly name: EncodingName | 'estimate'
  readonly encode: (text: string) => number[]
  readonly decode: (tokens: number[]) => string
  /** By how much the count is raised. 1 where it is exact. */
  readonly factor: number
}

interface Library {
  encode(text: string, options: { disallowedSpecial: Set<string> }): number[]
  decode(tokens: number[]): string
}

/** Each loads its own table, about a megabyte, when it is first used. */
const LIBRARIES: Record<EncodingName, () => Promise<Library>> = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  p50k_base: () => import('gpt-tokenizer/encoding/p50k_base'),
  p50k_edit: () => import('gpt-tokenizer/encoding/p50k_edit'),
  r50k_base: () => import('gpt-tokenizer/encoding/r50k_base'),
}

const MODELS: readonly (readonly [RegExp, EncodingName])[] = [
  [/^(?:gpt-(?:[5-9]|4o|4\.[1-9]|oss)|chatgpt-4o|codex|o[1-9])/, 'o200k_base'],
  [/^(?:gpt-4|gpt-3\.5|gpt-35|text-embedding-(?:3|ada-002))/, 'cl100k_base'],
  [/^(?:text|code)-davinci-edit/, 'p50k_edit'],
  [/^(?:text-davinci-00[23]|code-)/, 'p50k_base'],
  [/^(?:gpt2|davinci|curie|babbage|ada|text-)/, 'r50k_base'],
]

/**
 * For models whose encoding is not public: tokens of the smallest vocabulary in use, 50,257 entries, and a quarter more.
 * An encoding with a larger vocabulary, as every current model has, makes fewer of the same text.
 */
const ESTIMATE = { encoding: 'r50k_base', factor: 1.25 } as const

/** The encoding of a model by its id, with or without its provider's name before it. */
export function encodingOf(modelId: string): EncodingName | 'estimate' {
  const name = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase()
  return MODELS.find(([pattern]) => pattern.test(name))?.[1] ?? 'estimate'
}

const loaded = new Map<string, Promise<Encoding>>()

export function loadEncoding(name: EncodingName | 'estimate'): Promise<Encoding> {
  let encoding = loaded.get(name)
  if (!encoding) {
    encoding = load(name)
    loaded.set(name, encoding)
    encoding.catch(() => loaded.delete(name))
  }
  return encoding
}

async function load(name: EncodingName | 'estimate'): Promise<Encoding> {
  const { encode, decode } = await LIBRARIES[name === 'estimate' ? ESTIMATE.encoding : name]()
  // What looks like a special token is text like any other here.
  const disallowedSpecial = new Set<string>()
  return {
    name,
    encode: (text) => encode(text, { disallowedSpecial }),
    decode,
    factor: name === 'estimate' ? ESTIMATE.factor : 1,
  }
}
