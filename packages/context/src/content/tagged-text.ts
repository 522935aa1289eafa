import { visibleName } from './visible-name.ts'

/** Text to add, with the name of its tags. */
export interface TaggedText {
  readonly tag: string
  readonly attributes?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly text: string
}

/** Encloses a text in tags that it cannot close. */
export function taggedText({ tag, attributes = {}, text }: TaggedText): string {
  const stated = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${attribute(String(value))}"`)
  return `<${tag}${stated.join('')}>\n${escapeTags(text, tag)}\n</${tag}>`
}

/**
 * Escapes a text so that it contains no `<tag` and no `</tag`, even after a later processor applies Unicode
 * compatibility normalization and removes invisible characters.
 */
export function escapeTags(text: string, tag: string): string {
  const escaped = text.replace(new RegExp(`<(?=(?:\\s*/\\s*)?${tag})`, 'gi'), '&lt;')
  if (!hidesTag(escaped, tag)) return escaped
  // A hidden tag is an attack, so the text need not stay readable.
  return escaped.replace(/[<\ufe64\uff1c]/g, '&lt;')
}

function hidesTag(text: string, tag: string): boolean {
  if (!/[<\ufe64\uff1c]/.test(text)) return false
  const plain = text
    .normalize('NFKC')
    .replace(/(?!\s)[\p{Cf}\p{Cc}\p{M}]/gu, '')
    .toLowerCase()
  return plain.includes(`<${tag}`) || plain.replace(/\s/g, '').includes(`</${tag}`)
}

function attribute(value: string): string {
  return visibleName(value)
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
