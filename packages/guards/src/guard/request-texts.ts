import type { ContentValue } from './inspector.ts'
import { textsIn } from './json-value.ts'

interface TextOptions {
  /** The name of the property whose value it is. */
  readonly name?: string | undefined
  /** Whether long numbers are text. Default: true. */
  readonly numbers?: boolean
}

/** What a guard does with the text of a request. */
export interface RewriteText {
  /** Returns a text, or JSON whose names stay, after treatment. */
  text<T>(value: T, options?: TextOptions): T
  /** Takes text, or JSON, that cannot be changed. */
  fixed(value: unknown, options?: TextOptions): void
}

/** Collects the texts of a request. */
export class RequestTexts implements RewriteText {
  readonly #fixed = new Map<string, ContentValue>()
  readonly texts: ContentValue[] = []
  readonly #passed: ReadonlySet<string>

  /** @param passed Texts that cannot be changed and need not be inspected */
  constructor(passed: ReadonlySet<string>) {
    this.#passed = passed
  }

  get fixedTexts(): ContentValue[] {
    return [...this.#fixed.values()]
  }

  text<T>(value: T, { name, numbers }: TextOptions = {}): T {
    if (value === undefined) return value
    this.texts.push(contentOf(name === undefined ? value : { [name]: value }, numbers))
    if (typeof value === 'object' && value !== null) for (const key of keysIn(value)) this.fixed(key)
    return value
  }

  fixed(value: unknown, { name, numbers }: TextOptions = {}): void {
    if (typeof value !== 'object' || value === null) {
      const key = `${name} ${value}`
      if (value === undefined || this.#passed.has(String(value)) || this.#fixed.has(key)) return
      this.#fixed.set(key, contentOf(name === undefined ? value : { [name]: value }, numbers))
      return
    }
    for (const { text, name: own } of textsIn(value, { numbers: numbers ?? true }))
      this.fixed(text, { name: own ?? name })
  }
}

/** Puts treated texts where the collected ones were. */
export class TreatedTexts implements RewriteText {
  readonly #treated: IterableIterator<unknown>

  constructor(treated: readonly unknown[]) {
    this.#treated = treated.values()
  }

  text<T>(value: T, { name }: TextOptions = {}): T {
    if (value === undefined) return value
    const { value: left } = this.#treated.next() as { value: T }
    return name === undefined ? left : (Object.values(left as object)[0] as T)
  }

  fixed(): void {}
}

function contentOf(value: unknown, numbers = true): ContentValue {
  return { kind: numbers ? 'data' : 'provider', part: 'request', field: 'request', value }
}

function keysIn(value: object): string[] {
  if (ArrayBuffer.isView(value)) return []
  const keys = Array.isArray(value) ? [] : Object.keys(value)
  for (const item of Object.values(value))
    if (typeof item === 'object' && item !== null) keys.push(...keysIn(item))
  return keys
}
