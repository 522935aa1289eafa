import { MillraceError } from '@millrace/core'

const SLOT = /\{\{\s*([\p{L}_][\p{L}\p{N}_]*)\s*\}\}/gu

/**
 * The names of a template's slots, such as `city` of `Lives in {{city}}`, each once.
 *
 * @throws MillraceError `CONFIG_INVALID` if it has none
 */
export function slotsOf(template: string): string[] {
  const slots = new Set([...template.matchAll(SLOT)].map(([, name]) => name as string))
  if (slots.size > 0) return [...slots]
  throw new MillraceError(
    'CONFIG_INVALID',
    'The template of the working memory has no slot. Name what to remember, such as "City: {{city}}".',
  )
}

/** The template with its slots filled; empty where nothing is known. */
export function renderTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(SLOT, (_, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : '',
  )
}
