import { VOCABULARY } from '../texts/vocabulary.ts'

/** A seeded generator of random numbers from 0 to 1 (mulberry32): the same seed gives the same training. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A random choice. */
export function oneOf<T>(choices: readonly T[], next: () => number): T {
  return choices[Math.floor(next() * choices.length)] as T
}

/**
 * Generates a text from a template, in which `{a|b|c}` is one of several alternatives and `%name%` an entry of the
 * vocabulary. Braces may be nested.
 */
export function spin(template: string, next: () => number): string {
  let text = template.replace(/%(\w+)%/g, (whole, name: string) =>
    VOCABULARY[name] ? `{${VOCABULARY[name].join('|')}}` : whole,
  )
  for (let rounds = 0; rounds < 8 && /\{[^{}]*\}/.test(text); rounds++) {
    text = text.replace(/\{([^{}]*)\}/g, (_, inner: string) => oneOf(inner.split('|'), next))
  }
  return text
}

/** A template, and the maximum number of different texts to generate from it. */
export interface Template {
  readonly text: string
  readonly spin?: number
}

/** Different texts of each template: `count` or, without it, as many as the template says. */
export function spinAll(templates: readonly Template[], seed: number, count?: number): string[] {
  const next = random(seed)
  const texts = new Set<string>()
  for (const { text, spin: own = 0 } of templates) {
    for (let index = 0; index < (count ?? own); index++) texts.add(spin(text, next))
  }
  return [...texts]
}
