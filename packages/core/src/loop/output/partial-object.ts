import type { JSONSchema7 } from '@ai-sdk/provider'

type Container = { value: unknown[] } | { value: Record<string, unknown>; key: string | undefined }

/** `prose`: before the value; `broken`: within brackets that are not JSON. */
type Mode = 'prose' | 'value' | 'key' | 'colon' | 'next' | 'string' | 'escape' | 'literal' | 'done' | 'broken'

/** Maximum depth. Deeper values are slow to garbage-collect and are never shown: they count as broken. */
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
 * place. Strings appear while they grow; numbers and literals when they are complete. Sentences and fences before an
 * object or list are skipped, and so are brackets whose content is not JSON. What follows the first object or list is
 * ignored; the schema validates the whole answer at the end.
 */
export class PartialObject {
  /** The brackets that can begin the value. */
  readonly #brackets: string
  /** The number of characters read, and where the object or list begins and ends. */
  #position = 0
  #start = 0
  #end: number | undefined
  /** The number of open brackets in what is broken. */
  #depth = 0
  #root: unknown
  readonly #stack: Container[] = []
  #mode: Mode
  /** The string, escape or literal that is being read. */
  #string = ''
  #escape = ''
  #literal = ''
  #isKey = false
  #changed = false

  /** @param type The `type` in the JSON Schema of the value, if it has one */
  constructor(type?: JSONSchema7['type']) {
    const types = type === undefined ? undefined : [type].flat()
    const takes = (name: 'object' | 'array'): boolean => types?.includes(name) ?? true
    this.#brackets = `${takes('object') ? '{' : ''}${takes('array') ? '[' : ''}`
    this.#mode = types?.length === this.#brackets.length ? 'prose' : 'value'
  }

  /** The place of the object or list in the text, once it is complete. */
  get span(): { start: number; end: number } | undefined {
    return this.#end === undefined ? undefined : { start: this.#start, end: this.#end }
  }

  /** Parses the next piece. Returns the value so far if the piece has changed it. */
  append(piece: string): unknown {
    this.#changed = false
    for (const character of piece) {
      if (this.#mode === 'done') break
      this.#read(character)
      this.#position += character.length
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
        if (this.#endLiteral()) this.#readBetween(character)
        else this.#break(character)
        return
      case 'prose':
      case 'broken':
        this.#skip(character)
        return
      default:
        this.#readBetween(character)
    }
  }

  /** Reads a character that belongs to no value. It may begin one. */
  #skip(character: string): void {
    if (character === '{' || character === '[') {
      if (this.#mode === 'prose' && this.#brackets.includes(character)) {
        this.#mode = 'value'
        this.#readBetween(character)
      } else {
        this.#mode = 'broken'
        this.#depth++
      }
    } else if ((character === '}' || character === ']') && this.#mode === 'broken' && --this.#depth === 0) {
      this.#mode = 'prose'
    }
  }

  /** The value turned out not to be JSON, by this character. */
  #break(character: string): void {
    this.#depth = this.#stack.length
    this.#stack.length = 0
    this.#shown = false
    this.#mode = this.#depth === 0 ? 'prose' : 'broken'
    this.#skip(character)
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
      if (Object.hasOwn(ESCAPES, character)) this.#mode = 'string'
      else this.#break(character)
    } else if (this.#escape.length === 5) {
      const code = Number.parseInt(this.#escape.slice(1), 16)
      this.#string += String.fromCharCode(code)
      if (Number.isNaN(code)) this.#break(character)
      else this.#mode = 'string'
    }
  }

  #readBetween(character: string): void {
    // A byte order mark counts as white space here.
    if (/\s/.test(character)) return
    if (this.#mode === 'prose') {
      this.#skip(character)
      return
    }
    const container = this.#stack.at(-1)
    if ((character === ']' || character === '}') && container && this.#mode !== 'colon') {
      this.#stack.pop()
      if (this.#stack.length === 0) this.#end = this.#position + 1
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
      this.#break(character)
    } else if (character === '{') {
      this.#open(character, { value: {}, key: undefined })
    } else if (character === '[') {
      this.#open(character, { value: [] })
    } else {
      this.#literal = character
      this.#mode = 'literal'
    }
  }

  #open(bracket: string, container: Container): void {
    const { length } = this.#stack
    if (length === 0 ? !this.#brackets.includes(bracket) : length >= MAX_DEPTH) {
      this.#break(bracket)
      return
    }
    if (length === 0) this.#start = this.#position
    this.#add(container.value)
    this.#stack.push(container)
    this.#mode = 'key' in container ? 'key' : 'value'
  }

  /** Returns whether the literal is JSON. */
  #endLiteral(): boolean {
    const known = Object.hasOwn(LITERALS, this.#literal)
    const value = known ? LITERALS[this.#literal] : Number(this.#literal)
    if (!known && Number.isNaN(value)) return false
    this.#complete(value)
    return true
  }

  #complete(value: unknown): void {
    if (typeof value === 'string') this.#show(value)
    else this.#add(value)
    this.#completed()
  }

  #completed(): void {
    // A string or number may be the beginning of a sentence.
    const isAtEnd = this.#end === undefined ? 'prose' : 'done'
    this.#mode = this.#stack.length === 0 ? isAtEnd : 'next'
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
