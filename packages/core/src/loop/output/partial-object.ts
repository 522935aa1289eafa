type Container = { value: unknown[] } | { value: Record<string, unknown>; key: string | undefined }

type Mode = 'value' | 'key' | 'colon' | 'next' | 'string' | 'escape' | 'literal' | 'done' | 'broken'

/** Maximum depth. Deeper values are slow to garbage-collect and are never shown: the object stops changing. */
const MAX_DEPTH = 1_000

const ESCAPES: Record<string, string> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
}
const LITERALS: Record<string, unknown> = { true: true, false: false, null: null }

/**
 * An incremental JSON parser: reads each character once and keeps the value parsed so far. The value is mutated in
 * place. Strings appear while they grow; numbers and literals when they are complete. Invalid JSON stops the updates;
 * the schema validates the whole answer at the end.
 */
export class PartialObject {
  #root: unknown
  readonly #stack: Container[] = []
  #mode: Mode = 'value'
  /** The string, escape or literal that is being read. */
  #string = ''
  #escape = ''
  #literal = ''
  #isKey = false
  #changed = false

  /** Parses the next piece. Returns the value so far if the piece has changed it. */
  append(piece: string): unknown {
    this.#changed = false
    for (const character of piece) {
      if (this.#mode === 'broken' || this.#mode === 'done') break
      this.#read(character)
    }
    if (this.#mode === 'string' && !this.#isKey) this.#show(this.#string)
    return this.#changed ? this.#root : undefined
  }

  #read(character: string): void {
    switch (this.#mode) {
      case 'string':
        this.#readString(character)
        return
      case 'escape':
        this.#readEscape(character)
        return
      case 'literal':
        if (/[\w.+-]/.test(character)) {
          this.#literal += character
          return
        }
        this.#endLiteral()
        this.#readBetween(character)
        return
      default:
        this.#readBetween(character)
    }
  }

  #readString(character: string): void {
    if (character === '\\') {
      this.#mode = 'escape'
      this.#escape = ''
    } else if (character !== '"') {
      this.#string += character
    } else if (this.#isKey) {
      const object = this.#stack.at(-1)
      if (object && 'key' in object) object.key = this.#string
      this.#mode = 'colon'
    } else {
      this.#complete(this.#string)
    }
  }

  #readEscape(character: string): void {
    this.#escape += character
    if (this.#escape[0] !== 'u') {
      this.#string += ESCAPES[character] ?? ''
      this.#mode = character in ESCAPES ? 'string' : 'broken'
    } else if (this.#escape.length === 5) {
      const code = Number.parseInt(this.#escape.slice(1), 16)
      this.#string += String.fromCharCode(code)
      this.#mode = Number.isNaN(code) ? 'broken' : 'string'
    }
  }

  #readBetween(character: string): void {
    if (this.#mode === 'broken' || this.#mode === 'done' || /\s/.test(character)) return
    const container = this.#stack.at(-1)
    if ((character === ']' || character === '}') && container && this.#mode !== 'colon') {
      this.#stack.pop()
      this.#completed()
    } else if (character === ',' && this.#mode === 'next' && container) {
      this.#mode = 'key' in container ? 'key' : 'value'
    } else if (character === ':' && this.#mode === 'colon') {
      this.#mode = 'value'
    } else if (character === '"' && (this.#mode === 'value' || this.#mode === 'key')) {
      this.#isKey = this.#mode === 'key'
      this.#string = ''
      this.#mode = 'string'
      if (!this.#isKey) this.#show('')
    } else if (this.#mode !== 'value') {
      this.#mode = 'broken'
    } else if (character === '{') {
      this.#open({ value: {}, key: undefined }, 'key')
    } else if (character === '[') {
      this.#open({ value: [] }, 'value')
    } else {
      this.#literal = character
      this.#mode = 'literal'
    }
  }

  #open(container: Container, mode: Mode): void {
    if (this.#stack.length >= MAX_DEPTH) {
      this.#mode = 'broken'
      return
    }
    this.#add(container.value)
    this.#stack.push(container)
    this.#mode = mode
  }

  #endLiteral(): void {
    const known = Object.hasOwn(LITERALS, this.#literal)
    const value = known ? LITERALS[this.#literal] : Number(this.#literal)
    if (!known && Number.isNaN(value)) this.#mode = 'broken'
    else this.#complete(value)
  }

  #complete(value: unknown): void {
    if (typeof value === 'string') this.#show(value)
    else this.#add(value)
    this.#completed()
  }

  #completed(): void {
    this.#mode = this.#stack.length === 0 ? 'done' : 'next'
    this.#shown = false
  }

  /** Whether the string that is being read is already in its container, and must be replaced there. */
  #shown = false

  #show(text: string): void {
    const container = this.#stack.at(-1)
    if (this.#shown && container && Array.isArray(container.value)) container.value.pop()
    this.#add(text)
    this.#shown = true
  }

  #add(value: unknown): void {
    this.#changed = true
    const container = this.#stack.at(-1)
    if (!container) this.#root = value
    else if (!('key' in container)) container.value.push(value)
    else if (container.key !== undefined) setOwn(container.value, container.key, value)
  }
}

/** Sets an own property, also for the key `__proto__`: keys come from the model. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
